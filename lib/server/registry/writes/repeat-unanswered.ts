import { isListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { isApiError } from '../../../meta/failure/failures.ts';

/** As kube-apiserver repeats the hooks of its start. @see pkg/registry/rbac/rest/storage_rbac.go EnsureRBACPolicy @ v1.37.2 */
const EVERY_MS = 1_000;
const WITHIN_MS = 30_000;

/** The failures of a storage that may answer the next time. */
const UNANSWERED: ReadonlySet<string> = new Set(['Timeout', 'ServerTimeout', 'TooManyRequests']);

export interface RepeatOptions {
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats the work of a start that the storage did not answer in time, for half a minute. The work must find what it has written before.
 * @throws the last failure; the reason of the signal.
 */
export async function repeatUnanswered(
  { runtime, signal }: RepeatOptions,
  work: () => Promise<void>,
): Promise<void> {
  const giveUpAtMs = runtime.monotonicMs() + WITHIN_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isUnanswered(error) || runtime.monotonicMs() + EVERY_MS > giveUpAtMs) throw error;
      await sleep(runtime, EVERY_MS, { signal });
    }
  }
}

function isUnanswered(error: unknown): boolean {
  return isApiError(error)
    ? UNANSWERED.has(error.reason)
    : isListwatchError(error, 'STORE_UNAVAILABLE');
}
