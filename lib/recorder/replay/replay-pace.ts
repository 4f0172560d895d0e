import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import { abortable } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask, sleep } from '../../kernel/time/wait.ts';

/**
 * How fast a recording is replayed: 1 with its own times, 10 ten times as fast; `instant`: without waiting; `step`: each answer when
 * `step` is called.
 */
export type ReplaySpeed = number | 'instant' | 'step';

/**
 * The deliveries of a step.
 *
 * @experimental
 */
export interface ReplayStep {
  /** `page`, `events`, or how a list or a watch failed or ended. */
  readonly what: string;
  /** The time in the recording, milliseconds since its start. */
  readonly atMs: number;
  /** Items or events. */
  readonly count: number;
  /** The collection, as it was described. */
  readonly collection: string;
}

/** One of those who read a replay. */
export interface PacedReader {
  /** The number and the time of the next record that it has to give; Infinity behind its last one. */
  readonly next: { readonly number: number; readonly atMs: number };
}

/** A record that is asked for. */
export interface PacedRecord {
  readonly number: number;
  readonly atMs: number;
  /** The deliveries of a step with it. Undefined: nothing that a program sees. */
  readonly step?: ReplayStep | undefined;
  /** It is given. */
  readonly onGiven?: (() => void) | undefined;
}

interface Asking {
  readonly reader: PacedReader;
  readonly record: PacedRecord;
  readonly go: Deferred<void>;
}

/** A reader that has something earlier to give holds the others up as long, when it does not ask for it. */
const PATIENCE_MS = 30_000;

/** Tasks within which an informer notifies its handlers. */
const HANDLED_TASKS = 2;

/**
 * Says when a record of a recording is due: in the order of the recording for all readers together, at its time, or at a step.
 *
 * A reader that asks for nothing for 30 seconds holds the others up no longer.
 */
export class ReplayPace {
  readonly #speed: ReplaySpeed;
  readonly #runtime: Runtime;
  #start: { readonly realMs: number; readonly recordedMs: number } | undefined;
  /** The readers, and since when each asks for nothing. */
  readonly #readers = new Map<PacedReader, number>();
  readonly #asking = new Set<Asking>();
  #news: Deferred<void> | undefined;
  /** The reader of the last record. */
  #latest: PacedReader | undefined;

  constructor(speed: ReplaySpeed, runtime: Runtime) {
    if (speed !== 'instant' && speed !== 'step' && !(typeof speed === 'number' && speed > 0)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `replay: option "speed" must be a number above 0, 'instant' or 'step', not ${JSON.stringify(speed)}`,
      );
    }
    this.#speed = speed;
    this.#runtime = runtime;
  }

  /** Later records are due as long after now as they were recorded after this time. */
  begin(atMs: number): void {
    this.#start = { realMs: this.#runtime.monotonicMs(), recordedMs: atMs };
  }

  /** From now on the others wait for what a reader has to give before. */
  join(reader: PacedReader): void {
    if (!this.#readers.has(reader)) this.#readers.set(reader, this.#runtime.monotonicMs());
  }

  /** Gives a record to a reader: resolves when it is due. */
  async turn(
    reader: PacedReader,
    record: PacedRecord,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const asking: Asking = { reader, record, go: deferred<void>() };
    this.#asking.add(asking);
    this.#notify();
    try {
      if (this.#speed === 'step' && record.step !== undefined) {
        await abortable(asking.go.promise, signal);
      } else {
        await this.#inOrder(asking, signal);
        await this.#until(record.atMs, signal);
        await this.#handled(reader, signal);
      }
      this.#latest = reader;
      record.onGiven?.();
    } finally {
      this.#asking.delete(asking);
      if (this.#readers.has(reader)) this.#readers.set(reader, this.#runtime.monotonicMs());
      this.#notify();
    }
  }

  /** Resolves when the time of a record has come. */
  async #until(atMs: number, signal: AbortSignal | undefined): Promise<void> {
    const speed = this.#speed;
    if (typeof speed !== 'number') {
      await nextTask(this.#runtime);
      signal?.throwIfAborted();
      return;
    }
    const nowMs = this.#runtime.monotonicMs();
    // Another reader may have something earlier to give.
    this.#start ??= { realMs: nowMs, recordedMs: Math.min(atMs, this.#earliestMs()) };
    const dueMs = this.#start.realMs + (atMs - this.#start.recordedMs) / speed;
    if (dueMs > nowMs) await sleep(this.#runtime, dueMs - nowMs, { signal });
    else signal?.throwIfAborted();
  }

  /** Waits until the handlers of another reader have got its records. */
  async #handled(reader: PacedReader, signal: AbortSignal | undefined): Promise<void> {
    if (this.#latest === undefined || this.#latest === reader) return;
    for (let task = 0; task < HANDLED_TASKS; task += 1) await nextTask(this.#runtime);
    signal?.throwIfAborted();
  }

  /** Lets the next answer go; it waits until a program has asked for one. Undefined once `finished` is. */
  async step(
    finished: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<ReplayStep | undefined> {
    if (this.#speed !== 'step') {
      throw new ListwatchError('INVALID_OPTION', `replay: a step needs the option speed: 'step'`);
    }
    for (;;) {
      const first = this.#nextStep();
      const blocker = first && this.#blocker(first);
      if (first !== undefined && blocker === undefined) {
        this.#asking.delete(first);
        first.go.resolve();
        await nextTask(this.#runtime);
        return first.record.step;
      }
      if (first === undefined && finished()) return undefined;
      await this.#change(blocker, signal);
    }
  }

  #earliestMs(): number {
    return Math.min(...[...this.#readers.keys()].map(({ next }) => next.atMs));
  }

  #nextStep(): Asking | undefined {
    let first: Asking | undefined;
    for (const asking of this.#asking) {
      const { step, number } = asking.record;
      if (step !== undefined && number < (first?.record.number ?? Infinity)) first = asking;
    }
    return first;
  }

  async #inOrder(asking: Asking, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const blocker = this.#blocker(asking);
      if (blocker === undefined) return;
      await this.#change(blocker, signal);
    }
  }

  /** A reader that has something earlier to give, and how long it is waited for. */
  #blocker({ reader, record }: Asking): { readonly leftMs: number } | undefined {
    if (this.#readers.size <= 1) return undefined;
    const nowMs = this.#runtime.monotonicMs();
    for (const [other, sinceMs] of this.#readers) {
      if (other === reader) continue;
      const asked = this.#askedBy(other);
      const leftMs = asked === undefined ? sinceMs + PATIENCE_MS - nowMs : Infinity;
      if ((asked ?? other.next.number) < record.number && leftMs > 0) return { leftMs };
    }
    return undefined;
  }

  #askedBy(reader: PacedReader): number | undefined {
    let first: number | undefined;
    for (const { reader: one, record } of this.#asking) {
      if (one === reader && record.number < (first ?? Infinity)) first = record.number;
    }
    return first;
  }

  /** Something was asked for or given, or the time of the blocker is over. */
  async #change(
    blocker: { readonly leftMs: number } | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { leftMs = Infinity } = blocker ?? {};
    const timer =
      leftMs === Infinity ? undefined : this.#runtime.setTimer(leftMs, () => this.#notify());
    try {
      this.#news ??= deferred<void>();
      await abortable(this.#news.promise, signal);
    } finally {
      timer?.cancel();
    }
  }

  #notify(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }
}
