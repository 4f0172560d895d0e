import { expect } from 'chai';
import { listwatch } from './contestants/listwatch-contestant.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './matrix/all-faults.ts';
import { problemsOf } from './report.ts';
import { runCase, type Verdict } from './run-case.ts';

const seed = process.env['LISTWATCH_SEED'] ?? '20260101';

/**
 * Waits that are long by default, cut to what a spec can bear; `npm run check -- faults` leaves everything as it is. `stretch` makes all
 * of them longer, the faults included.
 */
function inAHurry(fault: Fault, stretch: number): Promise<Verdict> {
  const contestant = listwatch({
    informer: {
      backoff: { baseMs: 20, capMs: 200 },
      watchListTimeoutMs: 1_500 * stretch,
      silenceProbeMs: 1_000 * stretch,
    },
    // A server takes 3 s to say that it does not have a version yet.
    client: { timeouts: { headersMs: 4_000 * stretch, idleMs: 4_000 * stretch } },
  });
  // Ten seconds as a rule; the longest that the limits of a case can add up to.
  return runCase(fault, contestant, { seed, scale: 0.1 * stretch, limitMs: 10_000 * stretch });
}

/** A case that does not hold is repeated with longer waits: on a busy machine an answer in time may come too late. */
const STRETCHES = [1, 3, 10];

/** Cases that are under way at the same time when they are repeated. */
const REPEATED_TOGETHER = 4;

describe(`an informer (LISTWATCH_SEED=${seed})`, () => {
  const verdicts = new Map<string, Verdict>();

  before('all faults at the same time', async () => {
    let left = allFaults;
    for (const stretch of STRETCHES) {
      if (left.length === 0) break;
      if (stretch > 1)
        console.log(`      ${left.length} cases again, with ${stretch} times the waits`);
      const together = stretch > 1 ? REPEATED_TOGETHER : left.length;
      for (let at = 0; at < left.length; at += together) {
        const some = left.slice(at, at + together);
        const all = await Promise.all(some.map((fault) => inAHurry(fault, stretch)));
        for (const verdict of all) verdicts.set(verdict.fault, verdict);
      }
      left = left.filter(({ name }) => problemsOf(verdicts.get(name)!).length > 0);
    }
  });

  for (const { name, title } of allFaults) {
    it(`${title} (${name})`, () => {
      const verdict = verdicts.get(name)!;
      expect(problemsOf(verdict), verdict.story).to.deep.equal([]);
    });
  }
});
