import { once } from 'node:events';
import { ListwatchError } from 'listwatch';
import { realRuntime, sleep } from 'listwatch/kernel';

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What is waited for. */
  readonly describe: () => string;
}

const POLL_MS = 20;

/** Resolves once `condition` holds. @throws {ListwatchError} code TIMEOUT that names the condition. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, signal, describe }: UntilOptions,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) {
      throw new ListwatchError(
        'TIMEOUT',
        `gave up after ${timeoutMs} ms waiting for ${describe()}`,
      );
    }
    await sleep(realRuntime, POLL_MS, { signal });
  }
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
