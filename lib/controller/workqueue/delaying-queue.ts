import { ListwatchError } from '../../kernel/failure/errors.ts';
import { optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { DelayedKeys } from './keys/delayed-keys.ts';
import type { HeldBackKey, QueueInspection } from './queue-inspection.ts';
import { type NoteWriter, NO_NUMBER } from './keys/key-note.ts';
import { QUEUE_PACING, QueuePacer, type QueuePacingOptions } from './queue-pacing.ts';
import {
  priorityOf,
  WORK_QUEUE,
  type AddOptions,
  type WorkQueueOptions,
} from './work-queue-options.ts';
import { WorkQueue } from './work-queue.ts';

export interface DelayingQueueOptions extends WorkQueueOptions, QueuePacingOptions {}

type Defaulted = 'name' | 'ageingMs' | 'runtime' | 'debounceMs' | 'minIntervalMs' | 'maxPerSecond';

export const DELAYING_QUEUE: OptionsSchema<DelayingQueueOptions, Defaulted> =
  optionsOf<DelayingQueueOptions>()('DelayingQueue', {
    ...WORK_QUEUE.rules,
    ...QUEUE_PACING.rules,
  });

/**
 * A work queue with delayed adds, debounce and limits.
 *
 * Guarantees, beyond those of `WorkQueue`:
 * - A key has at most one delayed add. Adding it again with a delay can only make it earlier, and its priority higher.
 * - An immediate `add` does not cancel a delayed one.
 * - Keys that become ready at the same time are added in slices, so that many of them do not block the event loop.
 * - There are at most four timers, regardless of the number of keys. Memory: one entry for each key that is delayed, debounced or held
 *   back by a limit.
 * - Keys that the debounce or the limit of a key holds back are worked on before `close` ends; `maxPerSecond` applies until then.
 *
 * Not guaranteed: delayed keys that are not ready when the queue is closed are dropped.
 * @see client-go util/workqueue/delaying_queue.go @ 32ce75a7
 */
export class DelayingQueue<K = string> extends WorkQueue<K> {
  readonly #runtime: Runtime;
  readonly #delayed: DelayedKeys<K>;
  readonly #pacer: QueuePacer<K> | undefined;
  /** Of a queue with a pacer. */
  readonly #heldNotes: HeldNotes<K> | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: DelayingQueueOptions = {}) {
    const { name, ageingMs, runtime, metrics, logger, ...pacing } = DELAYING_QUEUE.read(options);
    super({ name, ageingMs, runtime, metrics, logger });
    this.#runtime = runtime;
    this.#delayed = new DelayedKeys(runtime, (key, priority) => {
      this.enter(key, priority);
    });
    const add = (key: K, priority: number): void => {
      this.enter(key, priority, this.#heldNotes?.release(key));
    };
    const wake = (): void => {
      this.wakeOne();
    };
    this.#pacer = QueuePacer.for(pacing, runtime, { add, wake });
    this.#heldNotes = this.#pacer && new HeldNotes();
    this.limit = this.#pacer;
  }

  /** Number of keys whose delay is not over, or that the debounce or the limit of a key holds back. */
  get delayed(): number {
    return this.#delayed.size + (this.#pacer?.size ?? 0);
  }

  override add(key: K, options?: AddOptions): void {
    if (this.#pacer === undefined) {
      super.add(key, options);
      return;
    }
    const priority = options === undefined ? 0 : priorityOf(options);
    if (this.closing) return;
    if (this.waits(key) || !this.#pacer.debounces(key, priority)) this.enter(key, priority);
  }

  /** @internal */
  override addNoted(key: K, priority: number, writer: NoteWriter): void {
    if (this.closing) return;
    if (this.#pacer === undefined || this.waits(key) || !this.#pacer.debounces(key, priority)) {
      this.enter(key, priority, this.#heldNotes?.joined(key, writer) ?? writer);
    } else this.#heldNotes?.add(key, writer);
  }

  /** @internal */
  protected override keepNote(key: K, note: unknown): void {
    this.#heldNotes?.set(key, note);
  }

  /**
   * Adds the key after `delayMs`; if that is 0 or less, at once. Ignored once the queue is closing.
   * @throws {ListwatchError} code INVALID_OPTION when the delay is not a finite number, or the priority no whole number in its range.
   */
  addAfter(key: K, delayMs: number, options?: AddOptions): void {
    if (!Number.isFinite(delayMs)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${this.name}: addAfter of ${String(key)}: the delay must be a finite number of milliseconds, not ${delayMs}`,
      );
    }
    const priority = options === undefined ? 0 : priorityOf(options);
    if (this.closing) return;
    this.countRetry();
    if (delayMs <= 0) this.enter(key, priority);
    else this.#delayed.put(key, this.#runtime.monotonicMs() + delayMs, priority);
  }

  /** Both `close` and `destroy` drop the delayed keys. @internal */
  protected override refuseKeys(): void {
    this.#delayed.clear();
    this.#pacer?.flush();
    super.refuseKeys();
  }

  /** @internal */
  protected override dropWaiting(): readonly K[] {
    const paced = this.#pacer?.clear() ?? [];
    this.#heldNotes?.clear();
    return [...super.dropWaiting(), ...paced];
  }

  /** @internal */
  protected override dropDelayed(): readonly K[] {
    return this.#delayed.clear();
  }

  /** @internal */
  protected override heldBack(
    limit: number,
    nowMs: number,
  ): Pick<QueueInspection<K>, 'delayed' | 'failing'> {
    const delayed = this.#delayed.earliest(limit).map(
      ({ key, priority, readyAtMs }): HeldBackKey<K> => ({
        key,
        priority,
        inMs: readyAtMs - nowMs,
        why: 'delay',
      }),
    );
    const keys = [...delayed, ...(this.#pacer?.earliest(limit, nowMs) ?? [])]
      .toSorted((one, other) => one.inMs - other.inMs)
      .slice(0, limit);
    return { ...super.heldBack(limit, nowMs), delayed: { count: this.delayed, keys } };
  }
}

/** The notes of keys that are held back, and so have no slot. Memory: one entry for each of them that has a note. */
class HeldNotes<K> {
  readonly #notes = new Map<K, unknown>();

  add(key: K, writer: NoteWriter): void {
    this.#notes.set(key, writer.write(this.#notes.get(key)));
  }

  set(key: K, note: unknown): void {
    this.#notes.set(key, note);
  }

  /** For a key that enters the queue: the note goes with it. A note that the key has there is the older one, and stays. */
  release(key: K): NoteWriter | undefined {
    const held = this.#notes.get(key);
    if (held === undefined) return undefined;
    this.#notes.delete(key);
    return { keyNumber: NO_NUMBER, write: (earlier) => earlier ?? held };
  }

  /** For a key that is added now: its writer continues the note that is held, which goes with the key. */
  joined(key: K, writer: NoteWriter): NoteWriter {
    const held = this.release(key);
    if (held === undefined) return writer;
    return { keyNumber: writer.keyNumber, write: (earlier) => writer.write(held.write(earlier)) };
  }

  clear(): void {
    this.#notes.clear();
  }
}
