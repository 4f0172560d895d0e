import { timeText } from '../../terminal/shown-text.ts';
import type { ClockReading, Validity } from '../contract/findings.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { validityAt } from '../connection/validity-text.ts';

/** A difference above it is a warning, milliseconds. */
const WARNING_MS = 2000;

/** A difference above it is a failure: short-lived tokens are refused, as signatures of cloud providers are after 5 minutes. */
const FAILURE_MS = 300_000;

/** The Date header is cut to whole seconds. */
const HALF_SECOND_MS = 500;

/** Compares the clock of this machine with that of the server. */
export const clockStep: Step = {
  id: 'clock',
  title: 'clock',
  needs: ['version'],
  run({ findings }: DoctorContext): Outcome {
    const { clock, validities } = findings;
    if (clock === undefined)
      return { status: 'skipped', detail: 'the server sends no Date header' };
    const skewMs = clockSkewMs(clock);
    const size = Math.abs(skewMs);
    const direction = skewMs > 0 ? 'ahead of' : 'behind';
    const data = { skewMs };
    if (size <= WARNING_MS) {
      return { status: 'ok', detail: `within ${timeText(WARNING_MS)} of the server`, data };
    }
    const detail = `the clock of the server is ${timeText(size)} ${direction} that of this machine`;
    const remedy = 'set the clock that is wrong, and keep it right: timedatectl set-ntp true';
    const affected = validities.find((one) => isAffected(one, clock, skewMs));
    if (affected === undefined && size < FAILURE_MS) {
      return { status: 'warning', detail, remedy, data };
    }
    const because = affected === undefined ? '' : `; by one of them ${affected.what} is not valid`;
    return { status: 'failed', code: 'UNAUTHORIZED', detail: detail + because, remedy, data };
  },
};

/** How far the clock of the server is ahead, milliseconds, with the answer taken to be made halfway. */
export function clockSkewMs({ serverMs, sentMs, receivedMs }: ClockReading): number {
  const skewMs = serverMs + HALF_SECOND_MS - (sentMs + receivedMs) / 2;
  const uncertainMs = HALF_SECOND_MS + Math.max(0, receivedMs - sentMs) / 2;
  return Math.abs(skewMs) <= uncertainMs ? 0 : Math.round(skewMs);
}

/** Whether the two clocks disagree on a token or certificate. */
function isAffected(validity: Validity, { receivedMs }: ClockReading, skewMs: number): boolean {
  return validityAt(validity, receivedMs) !== validityAt(validity, receivedMs + skewMs);
}
