import type { Container, PodSpec } from '../../../types/built-in/core-v1-kinds.ts';
import type { RestartDelay } from './container-life.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 300_000;

/**
 * Whether a container that ended with this code starts again.
 * @see kubernetes pkg/api/v1/pod/util.go ContainerShouldRestart @ v1.37.2
 */
export function startsAgain(
  {
    restartPolicy,
    restartPolicyRules = [],
  }: Pick<Container, 'restartPolicy' | 'restartPolicyRules'>,
  pod: Pick<PodSpec, 'restartPolicy'>,
  exitCode: number,
): boolean {
  if (restartPolicy !== undefined) {
    const rule = restartPolicyRules.find(({ exitCodes }) => {
      const isListed = exitCodes?.values?.includes(exitCode) === true;
      return exitCodes !== undefined && isListed === (exitCodes.operator === 'In');
    });
    if (rule?.action === 'Restart') return true;
  }
  const policy = restartPolicy ?? pod.restartPolicy ?? 'Always';
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

/**
 * When a container that ended at `endedMs` may start again. The first end costs nothing; the ones after it 10 s, 20 s, up to 300 s. After
 * ten minutes without one it begins anew.
 * @see client-go util/flowcontrol/backoff.go IsInBackOffSince, Next @ v0.37.2
 */
export function restartTime(delay: RestartDelay | undefined, endedMs: number): number {
  return delay === undefined || isOver(delay, endedMs) ? endedMs : endedMs + delay.delayMs;
}

/** The delay after the next end of a container that ended at `endedMs`, and starts again at `nowMs`. */
export function nextRestartDelay(
  delay: RestartDelay | undefined,
  endedMs: number,
  nowMs: number,
): RestartDelay {
  const delayMs =
    delay === undefined || isOver(delay, endedMs)
      ? FIRST_DELAY_MS
      : Math.min(delay.delayMs * 2, LONGEST_DELAY_MS);
  return { delayMs, sinceMs: nowMs };
}

function isOver({ sinceMs }: RestartDelay, atMs: number): boolean {
  return atMs - sinceMs > 2 * LONGEST_DELAY_MS;
}

/** As Go prints a duration of whole seconds: `10s`, `2m40s`. */
export function goSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
