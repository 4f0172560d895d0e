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

/** What a step has delivered. */
export interface ReplayStep {
  /** `page`, `events`, or how a list or a watch failed or ended. */
  readonly what: string;
  /** The time in the recording, milliseconds since its start. */
  readonly atMs: number;
  /** Items or events. */
  readonly count: number;
}

interface Waiting {
  readonly step: ReplayStep;
  readonly order: number;
  readonly turn: Deferred<void>;
}

/** Says when the next answer of a recording is due. */
export class ReplayPace {
  readonly #speed: ReplaySpeed;
  readonly #runtime: Runtime;
  #start: { readonly realMs: number; readonly recordedMs: number } | undefined;
  readonly #waiting = new Set<Waiting>();
  #arrived: Deferred<void> | undefined;

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

  /** What follows is due as long after now as it was recorded after this time. */
  begin(atMs: number): void {
    this.#start = { realMs: this.#runtime.monotonicMs(), recordedMs: atMs };
  }

  /** Resolves when the time of a record has come. */
  async until(atMs: number, signal: AbortSignal | undefined): Promise<void> {
    const speed = this.#speed;
    if (typeof speed !== 'number') {
      await nextTask(this.#runtime);
      signal?.throwIfAborted();
      return;
    }
    const nowMs = this.#runtime.monotonicMs();
    this.#start ??= { realMs: nowMs, recordedMs: atMs };
    const dueMs = this.#start.realMs + (atMs - this.#start.recordedMs) / speed;
    if (dueMs > nowMs) await sleep(this.#runtime, dueMs - nowMs, { signal });
    else signal?.throwIfAborted();
  }

  /** As `until`, for what a step delivers. */
  async turn(step: ReplayStep, order: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#speed !== 'step') {
      await this.until(step.atMs, signal);
      return;
    }
    const waiting: Waiting = { step, order, turn: deferred<void>() };
    this.#waiting.add(waiting);
    this.#arrived?.resolve();
    try {
      await abortable(waiting.turn.promise, signal);
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  /** Lets the next answer go; it waits until a program has asked for one. Undefined once `finished` is. */
  async step(
    finished: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<ReplayStep | undefined> {
    if (this.#speed !== 'step') {
      throw new ListwatchError('INVALID_OPTION', `replay: a step needs the option speed: 'step'`);
    }
    while (this.#waiting.size === 0) {
      if (finished()) return undefined;
      this.#arrived = deferred<void>();
      await abortable(this.#arrived.promise, signal);
    }
    const [first] = [...this.#waiting].toSorted((one, other) => one.order - other.order);
    const { step, turn } = first as Waiting;
    this.#waiting.delete(first as Waiting);
    turn.resolve();
    await nextTask(this.#runtime);
    return step;
  }
}
