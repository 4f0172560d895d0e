import { once } from 'node:events';
import { ListwatchError } from 'listwatch';
import { realRuntime, sleep } from 'listwatch/kernel';

/** A wait ends after this time with an error. Only a hang reaches it, on a machine under any load. */
export const HANG_MS = 300_000;

export interface UntilOptions {
  readonly signal: AbortSignal;
  /** A description of the awaited condition. */
  readonly describe: () => string;
}

const POLL_MS = 20;

/** Resolves once `condition` holds. @throws {ListwatchError} code TIMEOUT that names the condition. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { signal, describe }: UntilOptions,
): Promise<void> {
  const deadlineMs = performance.now() + HANG_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) {
      const seconds = HANG_MS / 1000;
      throw new ListwatchError('TIMEOUT', `gave up after ${seconds} s waiting for ${describe()}`);
    }
    await sleep(realRuntime, POLL_MS, { signal });
  }
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
