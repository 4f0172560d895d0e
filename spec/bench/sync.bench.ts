import { sized, type Bench } from './bench.ts';
import { contest, ownContestants, peers } from './workload/contest.ts';
import { syncFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

export const bench: Bench = {
  id: 'W1',
  title: 'the first list of 100,000 pods of 3.9 KB: until every handler has every object',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 100_000 });
    const contestants = [...ownContestants(), ...peers(size)];
    const outcomes = await contest(size, contestants, {
      workload: 'sync',
      objects,
      events: 0,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    });
    return syncFigures(outcomes);
  },
};
