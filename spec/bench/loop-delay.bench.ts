import { sized, type Bench } from './bench.ts';
import { contest, OWN, ownContestants, peers } from './workload/contest.ts';
import { loopFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

export const bench: Bench = {
  id: 'W7',
  title: 'how long the event loop stands still while 100,000 pods come in for the first time',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 100_000 });
    const inNode = peers(size).filter(({ name }) => !name.startsWith('client-go'));
    const paged = { ...OWN, name: 'ours, list+watch', listWatch: true };
    const outcomes = await contest(size, [...ownContestants(), paged, ...inNode], {
      workload: 'sync',
      objects,
      events: 0,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    });
    return loopFigures(outcomes);
  },
};
