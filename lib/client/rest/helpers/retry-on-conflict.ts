import { Backoff } from '../../../kernel/time/backoff.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { isConflict } from '../../../meta/failure/failures.ts';

export interface RetryOnConflictOptions {
  /** The first one counts. At least 1. @defaultValue 5 */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue the real clock */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<RetryOnConflictOptions>()('retryOnConflict', {
  attempts: is.integer({ min: 1 }).default(5),
  signal: is.abortSignal(),
  runtime: is.object().default(realRuntime),
});

/** @see client-go util/retry/util.go DefaultRetry @ 32ce75a7: 10 ms, jitter 0.1 */
const DELAY = { baseMs: 10, capMs: 160, jitter: 0.5 };

/**
 * Runs work again that failed because the object had changed in between. The work has to read the object anew each time.
 *
 * @example
 * await retryOnConflict(async () => {
 *   const found = await deployments.get('web');
 *   await deployments.update({ ...found, spec: { ...found.spec, paused: true } });
 * });
 * @throws what the last attempt threw; at once for anything but CONFLICT; the signal's reason when aborted
 */
export async function retryOnConflict<R>(
  work: () => Promise<R>,
  options: RetryOnConflictOptions = {},
): Promise<R> {
  return await retryWhile(isConflict, work, options);
}

/** `retryOnConflict` for other failures. */
export async function retryWhile<R>(
  mayRetry: (error: unknown) => boolean,
  work: () => Promise<R>,
  options: RetryOnConflictOptions,
): Promise<R> {
  const { attempts, signal, runtime } = OPTIONS.read(options);
  const backoff = new Backoff(runtime, DELAY);
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !mayRetry(error)) throw error;
    }
    await sleep(runtime, backoff.step(), { signal });
  }
}
