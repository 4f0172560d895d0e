import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { ItemsInWork } from './keys/items-in-work.ts';
import { IDLE, IN_WORK, IN_WORK_AND_ADDED, KeyTable, WAITING } from './keys/key-table.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { SlotQueue } from './keys/slot-queue.ts';
import { TakenItem } from './keys/taken-item.ts';
import { TaskClock } from './task-clock.ts';
import type { WorkItem } from './keys/work-item.ts';

export interface WorkQueueOptions {
  /** The name of the queue in messages and metrics. @defaultValue 'queue' */
  readonly name?: string | undefined;
  readonly runtime?: Runtime | undefined;
  /** Receives depth, adds, retries, and the times that keys wait and are worked on. */
  readonly metrics?: Metrics | undefined;
  /** Logs failures of the metrics. @defaultValue `consoleLogger` */
  readonly logger?: Logger | undefined;
}

/** @internal */
export const workQueueOptionNames: readonly (keyof WorkQueueOptions)[] = [
  'name',
  'runtime',
  'metrics',
  'logger',
];

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CloseQueueOptions {
  /** Longest wait for the remaining work, in milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of keys that a message lists. */
const KEYS_IN_MESSAGE = 5;

/** Minimum number of idle keys that are kept in the table: finding a key that is added again is cheaper than inserting it. */
const SPARE = 256;

/** Beyond the spare keys, the table is replaced when it has this many keys for each key that waits or is worked on. */
const MOST_KNOWN = 16;

/**
 * Keys that need work, each at most once. Keys are compared as in a `Map`, so use strings or other primitives.
 *
 * Guarantees:
 * - At most one worker has a key at a time.
 * - Any number of adds of a waiting key lead to one run; any number of adds while it is worked on lead to one more.
 * - Keys are taken in the order in which they were first added.
 * - No key added before `close` is lost.
 * - Memory: one slot for each distinct key that waits or is worked on; further adds take none. Finished keys may stay in the
 *   table for a while, because removing each one separately is expensive: 256, and at most 15 for each key that waits or is worked on.
 *
 * Not guaranteed: that a key is taken again when its worker never calls `done`.
 * @see client-go util/workqueue/queue.go @ 32ce75a7
 */
export class WorkQueue<K = string> implements Disposable, AsyncDisposable {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #metrics: QueueMetrics;
  /** Every key that waits or is in work, and some idle ones. */
  #keys = new KeyTable<K>();
  /** Maximum number of keys in the table: the spare keys, and the largest number of needed keys since `#keys` was created. */
  #room = SPARE;
  /** Slots in `#keys`. */
  readonly #waiting = new SlotQueue();
  readonly #inWork = new ItemsInWork<K>();
  /** For times that no metrics report. */
  readonly #clock: TaskClock;
  readonly #takers = new Set<() => void>();
  readonly #idle: Latch;
  #closing = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: WorkQueueOptions = {}) {
    rejectUnknownOptions('WorkQueue', options, workQueueOptionNames);
    this.name = options.name ?? 'queue';
    this.#runtime = options.runtime ?? realRuntime;
    this.#metrics = new QueueMetrics(this.name, options);
    this.#clock = new TaskClock(this.#runtime);
    this.#idle = new Latch(`${this.name} to drain`);
  }

  /** Number of keys that wait for a worker; keys in work are not counted. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Number of keys in work. */
  get processing(): number {
    return this.#inWork.size;
  }

  /** Whether `close` or `destroy` was called. */
  get closing(): boolean {
    return this.#closing;
  }

  /**
   * Milliseconds since the longest-running worker took its key, accurate to one turn of the event loop; 0 when no key is in
   * work.
   */
  get longestRunningMs(): number {
    if (this.#inWork.size === 0) return 0;
    return this.#runtime.monotonicMs() - this.#inWork.earliestMs;
  }

  /** Adds a key that needs work. Ignored once the queue is closing. */
  add(key: K): void {
    if (this.#closing) return;
    const keys = this.#keys;
    const slot = keys.slotOf(key) ?? this.#insert(key);
    const state = keys.stateAt(slot);
    if (state !== IDLE && state !== IN_WORK) return;
    if (this.#metrics.wanted) keys.noteAdded(slot, this.#runtime.monotonicMs());
    keys.setState(slot, state === IDLE ? WAITING : IN_WORK_AND_ADDED);
    if (state === IDLE) this.#waiting.push(slot);
    this.#metrics.added();
    if (state === IDLE) this.#announce();
  }

  /**
   * Waits for the next key. Resolves with undefined once the queue is closed and no key waits.
   * Adds of one burst are collapsed before a waiting worker gets the key. Rejects with the signal's reason when it aborts.
   */
  take({ signal }: TakeOptions = {}): Promise<WorkItem<K> | undefined> {
    if (this.#waiting.size === 0 || signal?.aborted === true) return this.#takeLater(signal);
    return Promise.resolve(this.#handOut());
  }

  /**
   * The next key, or undefined if none waits. Like `take`, for a worker that does not wait, or that empties the queue in one
   * step.
   */
  takeNow(): WorkItem<K> | undefined {
    return this.#waiting.size === 0 ? undefined : this.#handOut();
  }

  async #takeLater(signal: AbortSignal | undefined): Promise<WorkItem<K> | undefined> {
    for (;;) {
      if (signal?.aborted === true) {
        // This taker may have been woken for a key that another taker can have instead.
        if (this.#waiting.size > 0) this.#wakeOne();
        throw signal.reason;
      }
      if (this.#waiting.size > 0) return this.#handOut();
      if (this.#closing) return undefined;
      await this.#change(signal);
    }
  }

  /**
   * Refuses new keys and waits until all added keys are done.
   * @throws {ListwatchError} code TIMEOUT naming the remaining work; the queue stays closed, and `destroy` drops the rest.
   */
  async close({ timeoutMs, signal }: CloseQueueOptions = {}): Promise<void> {
    const limitMs = numberOption('WorkQueue.close', 'timeoutMs', timeoutMs, 30_000, { min: 0 });
    this.refuseKeys();
    await untilOpen(this.#runtime, [this.#idle], {
      timeoutMs: limitMs,
      signal,
      describe: () => `${this.name} to drain: ${this.#describeRest()}`,
    });
  }

  /** Refuses new keys, and drops and returns those that wait. Work in progress continues. */
  destroy(): readonly K[] {
    const dropped = this.#waiting.drain().map((slot) => this.#keys.keyAt(slot));
    for (const { slot } of this.#inWork.slice(Infinity)) this.#keys.setState(slot, IN_WORK);
    this.#forgetIdle();
    this.#metrics.depth(0);
    this.refuseKeys();
    this.#idle.open();
    return dropped;
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #insert(key: K): number {
    this.#room = Math.max(this.#room, this.#wanted + SPARE);
    return this.#keys.insert(key);
  }

  /** Reports one more waiting key to the metrics and to a waiting taker. */
  #announce(): void {
    this.#metrics.depth(this.#waiting.size);
    if (this.#takers.size > 0) this.#wakeOne();
  }

  #handOut(): WorkItem<K> {
    const observed = this.#metrics.wanted;
    const nowMs = observed ? this.#runtime.monotonicMs() : this.#clock.nowMs;
    const keys = this.#keys;
    const slot = this.#waiting.shift();
    const item = new TakenItem(keys.keyAt(slot), slot, this.#finish);
    keys.setState(slot, IN_WORK);
    this.#inWork.add(item, nowMs);
    if (observed) {
      const waitedMs = nowMs - keys.addedAtMs(slot);
      this.#metrics.depth(this.#waiting.size);
      this.#metrics.handedOut(waitedMs);
    }
    return item;
  }

  readonly #finish = (item: TakenItem<K>): void => {
    const takenAtMs = this.#inWork.remove(item);
    const { slot } = item;
    const keys = this.#keys;
    const addedAgain = keys.stateAt(slot) === IN_WORK_AND_ADDED;
    keys.setState(slot, addedAgain ? WAITING : IDLE);
    if (addedAgain) this.#waiting.push(slot);
    else this.#tidy(slot);
    if (this.#metrics.wanted) this.#metrics.finished(this.#runtime.monotonicMs() - takenAtMs);
    if (addedAgain) this.#announce();
    else if (this.#closing) this.#openWhenIdle();
  };

  /** Number of keys that wait or are in work. */
  get #wanted(): number {
    return this.#waiting.size + this.#inWork.size;
  }

  /**
   * Limits the number of idle keys in the table after one more became idle. While a backlog is worked off, all idle keys are
   * removed at once when few keys are left. Otherwise only this key is removed.
   */
  #tidy(slot: number): void {
    const keys = this.#keys;
    if (keys.size > SPARE + MOST_KNOWN * this.#wanted) this.#forgetIdle();
    else if (keys.size > this.#room) keys.forget(slot);
  }

  /** Moves the needed keys to a new table. */
  #forgetIdle(): void {
    const known = this.#keys;
    const wanted = new KeyTable<K>();
    for (const slot of this.#waiting.drain()) this.#waiting.push(wanted.copy(known, slot));
    for (const item of this.#inWork.slice(Infinity)) item.slot = wanted.copy(known, item.slot);
    this.#keys = wanted;
    this.#room = this.#wanted + SPARE;
  }

  /** The first step of closing: refuses new keys. */
  protected refuseKeys(): void {
    this.#closing = true;
    for (const wake of this.#takers) wake();
    this.#takers.clear();
    this.#openWhenIdle();
  }

  #openWhenIdle(): void {
    if (this.#wanted === 0) this.#idle.open();
  }

  #wakeOne(): void {
    for (const wake of this.#takers) {
      this.#takers.delete(wake);
      wake();
      return;
    }
  }

  /** Resolves when this taker should look again: there may be a key, the queue has ended, or its signal has aborted. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let release = (): void => {};
      const wake = (): void => {
        release();
        resolve();
      };
      this.#takers.add(wake);
      release = onAbort(signal, () => {
        this.#takers.delete(wake);
        resolve();
      });
    });
  }

  #describeRest(): string {
    const { size } = this.#inWork;
    const keys = this.#inWork.slice(KEYS_IN_MESSAGE).map(({ key }) => String(key));
    const more = size > KEYS_IN_MESSAGE ? ', …' : '';
    const named = size === 0 ? '' : ` (${keys.join(', ')}${more})`;
    return `${this.#waiting.size} keys wait, ${size} are worked on${named}`;
  }
}
