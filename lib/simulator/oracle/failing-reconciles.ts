import type { Finding } from '../contract/finding.ts';
import type { Journal } from '../record/journal.ts';

/** Fewer failures say nothing: faults cause some. */
const LEAST_FAILURES = 5;
/** The next failure of a back-off comes within this many times the last pause. */
const NEXT_WITHIN = 2.5;
const AT_ONCE_MS = 1000;

interface Failures {
  readonly actor: string;
  readonly identity: string;
  readonly subject: string;
  count: number;
  lastMs: number;
  pauseMs: number;
}

/** When the next failure of each reconcile that has failed again and again would have come, at the latest; 0 if there is none. */
export function nextFailuresMs(journal: Journal): number {
  const due = repeatedFailures(journal).map(
    ({ lastMs, pauseMs }) => lastMs + pauseMs * NEXT_WITHIN + AT_ONCE_MS,
  );
  return Math.max(0, ...due);
}

/**
 * Reconciles that go on failing when all is quiet, though no write shows it: an error that was logged again and again, and once more after
 * `quietMs`.
 */
export function failingReconciles(journal: Journal, quietMs: number): readonly Finding[] {
  return repeatedFailures(journal)
    .filter(({ lastMs }) => lastMs >= quietMs)
    .map(({ actor, identity, subject, count }) => ({
      class: 'failing',
      subject: `${actor}: ${subject}`,
      message: `it has failed ${count} times, and goes on: ${identity}`,
    }));
}

function repeatedFailures({ entries }: Journal): readonly Failures[] {
  const all = new Map<string, Failures>();
  for (const entry of entries) {
    if (entry.type !== 'log' || entry.level !== 'error') continue;
    const { actor, atMs, identity = '', subject = '' } = entry;
    const key = `${actor} ${identity}`;
    const known = all.get(key);
    if (known === undefined) {
      all.set(key, { actor, identity, subject, count: 1, lastMs: atMs, pauseMs: 0 });
      continue;
    }
    known.count += 1;
    known.pauseMs = atMs - known.lastMs;
    known.lastMs = atMs;
  }
  return [...all.values()].filter(({ count }) => count >= LEAST_FAILURES);
}
