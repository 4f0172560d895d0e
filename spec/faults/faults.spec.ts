import { expect } from 'chai';
import { listwatch } from './contestants/listwatch-contestant.ts';
import { allFaults } from './matrix/all-faults.ts';
import { problemsOf } from './report.ts';
import { runCase, type Verdict } from './run-case.ts';

const seed = process.env['LISTWATCH_SEED'] ?? '20260101';

/** Waits that are long by default, cut to what a spec can bear; `npm run faults` leaves everything as it is. */
const inAHurry = listwatch({
  informer: {
    backoff: { baseMs: 20, capMs: 200 },
    watchListTimeoutMs: 1_500,
    silenceProbeMs: 1_000,
  },
  // A server takes 3 s to say that it does not have a version yet.
  client: { requestTimeoutMs: 4_000 },
});
const SCALE = 0.1;
const LIMIT_MS = 10_000;

describe(`an informer (LISTWATCH_SEED=${seed})`, () => {
  const verdicts = new Map<string, Verdict>();

  before('all faults at the same time', async () => {
    // Ten seconds as a rule; the longest that the limits of a case can add up to.
    const options = { seed, scale: SCALE, limitMs: LIMIT_MS };
    const all = await Promise.all(allFaults.map((fault) => runCase(fault, inAHurry, options)));
    for (const verdict of all) verdicts.set(verdict.fault, verdict);
  });

  for (const { name, title } of allFaults) {
    it(`${title} (${name})`, () => {
      const verdict = verdicts.get(name)!;
      expect(problemsOf(verdict), verdict.story).to.deep.equal([]);
    });
  }
});
