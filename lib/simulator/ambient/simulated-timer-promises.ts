import { ambientSource, timerStack, type StartedTimer } from './ambient-run.ts';

interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly ref?: boolean | undefined;
}

function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  error.name = 'AbortError';
  return Object.assign(error, { code: 'ABORT_ERR' });
}

/** Waits in virtual time. `start` begins the wait, and returns what ends it. */
function wait<T>(
  what: string,
  value: T,
  { signal, ref = true }: WaitOptions,
  start: (fire: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError(signal));
      return;
    }
    const { timers } = ambientSource();
    const started: StartedTimer = { what, stack: timerStack(), hasRef: () => ref };
    timers.add(started);
    const end = (): void => {
      timers.delete(started);
      signal?.removeEventListener('abort', onAbort);
    };
    const cancel = start(() => {
      end();
      resolve(value);
    });
    function onAbort(): void {
      cancel();
      end();
      if (signal !== undefined) reject(abortError(signal));
    }
    signal?.addEventListener('abort', onAbort);
  });
}

function timer(delayMs: unknown, fire: () => void): () => void {
  const { runtime } = ambientSource();
  const started = runtime.setTimer(Math.max(1, Math.trunc(Number(delayMs)) || 1), fire);
  return () => started.cancel();
}

function task(fire: () => void): () => void {
  let waits = true;
  ambientSource().runtime.queueTask(() => {
    if (waits) fire();
  });
  return () => {
    waits = false;
  };
}

/** `setTimeout` of `node:timers/promises`. */
export function promisedTimeout<T>(
  delayMs?: unknown,
  value?: T,
  options: WaitOptions = {},
): Promise<T | undefined> {
  return wait('setTimeout', value, options, (fire) => timer(delayMs, fire));
}

/** `setImmediate` of `node:timers/promises`. */
export function promisedImmediate<T>(value?: T, options: WaitOptions = {}): Promise<T | undefined> {
  return wait('setImmediate', value, options, task);
}

/** `setInterval` of `node:timers/promises`. Ticks that come before they are asked for are not lost. */
export async function* promisedInterval<T>(
  delayMs?: unknown,
  value?: T,
  options: WaitOptions = {},
): AsyncGenerator<T | undefined, undefined> {
  const { runtime } = ambientSource();
  const everyMs = Math.max(1, Math.trunc(Number(delayMs)) || 1);
  let dueMs = runtime.monotonicMs() + everyMs;
  for (;;) {
    const restMs = dueMs - runtime.monotonicMs();
    dueMs += everyMs;
    if (restMs > 0) {
      await wait('setInterval', undefined, options, (fire) => {
        const started = runtime.setTimer(restMs, fire);
        return () => started.cancel();
      });
    } else {
      options.signal?.throwIfAborted();
    }
    yield value;
  }
}

/** `scheduler` of `node:timers/promises`. */
export const simulatedScheduler = {
  wait: (delayMs?: unknown, options: WaitOptions = {}): Promise<unknown> =>
    wait('scheduler.wait', undefined, options, (fire) => timer(delayMs, fire)),
  yield: (): Promise<unknown> => wait('scheduler.yield', undefined, {}, task),
} as const;

/** `AbortSignal.timeout`. Its timer keeps no process from ending. */
export function simulatedAbortTimeout(delayMs: number): AbortSignal {
  const controller = new AbortController();
  ambientSource().runtime.setTimer(delayMs, () => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  });
  return controller.signal;
}
