import type { Finding } from '../contract/finding.ts';

/** Why a guarded process has to end, as its guard writes it: one line of JSON. */
export interface ProcessEnd {
  readonly class: Extract<Finding['class'], 'blocked' | 'memory'>;
  /** Places of the user's code, the innermost first: `src/sites.ts:12 reconcile`. Empty if it is not known. */
  readonly places: readonly string[];
}

/** The file that a guarded process inherits for its guard. */
export const GUARD_FILE = 4;

/** The finding for a process that had to end. */
export function endFinding(
  { class: kind, places }: ProcessEnd,
  { blockedMs, heapMb }: { readonly blockedMs: number; readonly heapMb: number },
): Finding {
  const [place] = places;
  const where = place === undefined ? '' : `, at ${places.join(', called from ')}`;
  const subject = place === undefined ? 'run' : `at ${place}`;
  const message =
    kind === 'blocked'
      ? `the process has computed for ${blockedMs / 1000} s without a pause${where}: nothing else happens in it, no timer, no answer, no stop`
      : `the process needs more than ${heapMb} MB${where}: something grows without a bound`;
  return { class: kind, subject, message };
}
