import type { Bench, Figure } from './bench.ts';
import { contest, ownContestants, peers, type Contest, type Outcome } from './workload/contest.ts';
import { buildPrograms } from './workload/programs.ts';

const COUNTS = { tiny: [50, 100], quick: [1000, 10_000], full: [1000, 10_000, 30_000, 100_000] };
const EVENTS = { tiny: 50, quick: 10_000, full: 50_000 };

/** A figure at one number of objects; `chart.ts` finds the number again. */
export const AT = ' at ';

function figuresOf({ contestant, result }: Outcome, objects: number): Figure[] {
  const grown = result.rssBytes - result.baseRssBytes;
  const figures = [
    { name: 'sync', value: result.syncMs / 1000, unit: 's' },
    { name: 'events', value: (result.events / result.watchMs) * 1000, unit: '/s' },
    { name: 'resident memory', value: grown / 1e6, unit: 'MB' },
  ];
  return figures.map(({ name, value, unit }) => {
    return { name: `${name}${AT}${objects}`, value, unit, contestant };
  });
}

/** The figures that `npm run bench -- --plots` draws. */
export const bench: Bench = {
  id: 'W9',
  title: 'sync time, events and memory against the number of objects',
  repeats: 1,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const contests = COUNTS[size].map(
      (objects): Contest => ({
        workload: 'watch',
        objects,
        events: EVENTS[size],
        targets: objects,
        handlers: 1,
        reads: 'metadata',
      }),
    );
    const contestants = [...ownContestants(), ...peers(size)];
    const outcomes = await contest(size, contestants, contests);
    return outcomes.flatMap((outcome, place) =>
      figuresOf(outcome, COUNTS[size][Math.floor(place / contestants.length)] ?? 0),
    );
  },
};
