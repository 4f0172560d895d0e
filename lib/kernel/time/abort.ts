import { setMaxListeners } from 'node:events';
import { ListwatchError } from '../failure/errors.ts';

/*
 * The lifecycle of all that runs or holds something; docs/lifecycle.md lists who has which of these methods.
 *
 * | method | meaning |
 * |---|---|
 * | `run({ signal })` | Runs once, until the signal aborts or `close` is called. Resolves when it has ended, rejects with what ended it. |
 * | `start()` | Begins what a program does not wait for. It ends with `close`. |
 * | `close()` | Ends what it started and waits for it. Asynchronous; may be called again. It is `Symbol.asyncDispose`. |
 * | `destroy()` | Releases at once, in the step of the call. It is `Symbol.dispose`. |
 * | `end()` | No input follows; what was given is still passed on. |
 *
 * `start` and `stop` in pairs are for timers that may start again. An abort is `run`'s only other way to end: it is no failure.
 */

/** Runs `listener` once when `signal` aborts, at once if it already has. The returned function removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    listener();
    return () => {};
  }
  // Node reports more than ten listeners as a leak. One signal is shared by all informers and requests, so there is no limit here.
  setMaxListeners(0, signal);
  // Each call needs its own function: an EventTarget adds the same function only once, and one removal would end both calls.
  const onlyThis = (): void => {
    listener();
  };
  signal.addEventListener('abort', onlyThis, { once: true });
  return () => {
    signal.removeEventListener('abort', onlyThis);
  };
}

/** A child controller that aborts with its parent. */
export interface DerivedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Removes the listener from the parent; does not abort the child. */
  destroy(): void;
}

/** Makes a controller that aborts when `parent` does, and can be aborted by itself. */
export function deriveAbort(parent?: AbortSignal): DerivedAbort {
  const controller = new AbortController();
  const release = onAbort(parent, () => {
    controller.abort(parent?.reason);
  });
  return {
    signal: controller.signal,
    abort(reason?: unknown): void {
      release();
      controller.abort(reason ?? new ListwatchError('ABORTED', 'the operation was stopped'));
    },
    destroy: release,
    [Symbol.dispose]: release,
  };
}

/** Rejects with the signal's reason as soon as it aborts; otherwise settles as `work` does. */
export async function abortable<R>(work: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return await work;
  let release = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, () => {
      reject(signal.reason as Error);
    });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    release();
  }
}
