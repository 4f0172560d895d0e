import { onAbort } from './abort.ts';
import { ListwatchError } from './errors.ts';
import { deferred, type Latch } from './latch.ts';
import type { Runtime } from './runtime.ts';

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
  /** Longest wait in milliseconds; no limit when left out. */
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
  { timeoutMs, signal, describe }: DeadlineOptions,
): Promise<R> {
  if (timeoutMs === undefined && signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const timer =
      timeoutMs === undefined
        ? undefined
        : runtime.setTimer(timeoutMs, () => {
            finish();
            try {
              const what = describe();
              reject(
                new ListwatchError('TIMEOUT', `gave up after ${timeoutMs} ms waiting for ${what}`),
              );
            } catch (error) {
              reject(error);
            }
          });
    let release = (): void => {};
    const finish = (): void => {
      timer?.cancel();
      release();
    };
    release = onAbort(signal, () => {
      finish();
      reject(signal?.reason as Error);
    });
    work.then(
      (value) => {
        finish();
        resolve(value);
      },
      (error: unknown) => {
        finish();
        reject(error);
      },
    );
  });
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
