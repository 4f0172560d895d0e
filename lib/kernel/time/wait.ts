import { onAbort } from './abort.ts';
import { ListwatchError } from '../failure/errors.ts';
import { deferred, type Latch } from './latch.ts';
import type { Runtime, Timer } from './runtime.ts';

export interface SleepOptions {
  readonly signal?: AbortSignal | undefined;
  /** See `TimerOptions.background`. @defaultValue false */
  readonly background?: boolean | undefined;
}

/** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. */
export function sleep(
  runtime: Runtime,
  delayMs: number,
  { signal, background }: SleepOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const timer = runtime.setTimer(
      delayMs,
      () => {
        release();
        resolve();
      },
      { background },
    );
    const release = onAbort(signal, () => {
      timer.cancel();
      reject(signal?.reason as Error);
    });
  });
}

/** Resolves in a task of its own, after all other ready work of the process. */
export function nextTask(runtime: Runtime): Promise<void> {
  return new Promise((resolve) => {
    runtime.queueTask(resolve);
  });
}

export interface DeadlineOptions {
  /** Longest wait in milliseconds; no limit when left out, or with Infinity. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The awaited condition, in words; called only when the wait fails. */
  readonly describe: () => string;
}

/**
 * Settles as `work` does, unless the deadline or the signal comes first. The continuation stays attached to `work` until `work`
 * settles. Where many callers may wait for an event that may never come, use a latch and `untilOpen`.
 * @throws {ListwatchError} code TIMEOUT with the description; the signal's reason when aborted.
 */
export function withDeadline<R>(
  runtime: Runtime,
  work: Promise<R>,
  { timeoutMs: given, signal, describe }: DeadlineOptions,
): Promise<R> {
  const timeoutMs = given === Infinity ? undefined : given;
  if (timeoutMs === undefined && signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const wait = new DeadlineWait(runtime, { timeoutMs, signal, describe }, reject);
    work.then(
      (value) => {
        wait.finish();
        resolve(value);
      },
      (error: unknown) => {
        wait.finish();
        reject(error);
      },
    );
  });
}

/** The timer and the listener of one wait. A class, since every request has one. */
class DeadlineWait {
  readonly #options: DeadlineOptions;
  readonly #reject: (error: unknown) => void;
  readonly #timer: Timer | undefined;
  readonly #release: (() => void) | undefined;

  constructor(runtime: Runtime, options: DeadlineOptions, reject: (error: unknown) => void) {
    const { timeoutMs, signal } = options;
    this.#options = options;
    this.#reject = reject;
    if (timeoutMs !== undefined) this.#timer = runtime.setTimer(timeoutMs, () => this.#expire());
    if (signal === undefined) return;
    this.#release = onAbort(signal, () => {
      this.finish();
      reject(signal.reason as Error);
    });
  }

  finish(): void {
    this.#timer?.cancel();
    this.#release?.();
  }

  #expire(): void {
    this.finish();
    try {
      const { timeoutMs, describe } = this.#options;
      const text = `gave up after ${Math.round(timeoutMs as number)} ms waiting for ${describe()}`;
      this.#reject(new ListwatchError('TIMEOUT', text));
    } catch (error) {
      this.#reject(error);
    }
  }
}

/**
 * Resolves when one of the latches is open, and removes its listeners from all of them.
 * @throws {ListwatchError} code TIMEOUT with the description; the signal's reason when aborted.
 */
export async function untilOpen(
  runtime: Runtime,
  latches: readonly Latch[],
  options: DeadlineOptions,
): Promise<void> {
  const opened = deferred<void>();
  const releases = latches.map((latch) =>
    latch.onOpen(() => {
      opened.resolve();
    }),
  );
  try {
    await withDeadline(runtime, opened.promise, options);
  } finally {
    for (const release of releases) release();
  }
}
