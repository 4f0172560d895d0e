import type { WaitOptions } from '../cache/informer/handlers/handler-registration.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import { sleep, withDeadline } from '../kernel/time/wait.ts';

const OPTIONS = optionsOf<WaitOptions>()('settled', {
  timeoutMs: is.number({ min: 1 }).default(60_000),
  signal: is.abortSignal(),
});

/** A write reaches the caches of the controllers in less. */
const QUIET_MS = 50;
const LOOK_AGAIN_MS = 5;

export interface Settling {
  readonly runtime: Runtime;
  /** The work that parts have still to do, in words. */
  readonly pending: () => readonly string[];
  readonly revision: () => Promise<string>;
}

/**
 * Resolves when no part has work to do, and nothing was written for 50 ms after that.
 * @throws {ListwatchError} code INVALID_OPTION; TIMEOUT naming the pending work; the reason of the signal.
 */
export async function untilSettled(settling: Settling, options: WaitOptions = {}): Promise<void> {
  const { timeoutMs, signal } = OPTIONS.read(options);
  const { runtime, pending } = settling;
  const stop = new AbortController();
  const describe = (): string => `the cluster to settle: ${pending().join(', ') || 'writes go on'}`;
  const work = settle(settling, stop.signal);
  try {
    await withDeadline(runtime, work, { timeoutMs, signal, describe });
  } finally {
    stop.abort();
    work.catch(() => {});
  }
}

async function settle(
  { runtime, pending, revision }: Settling,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    if (pending().length > 0) {
      await sleep(runtime, LOOK_AGAIN_MS, { signal });
      continue;
    }
    const before = await revision();
    await sleep(runtime, QUIET_MS, { signal });
    if (pending().length === 0 && (await revision()) === before) return;
  }
}
