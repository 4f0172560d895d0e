import { sized, type Bench } from './bench.ts';
import { contest, OWN, type Contest } from './workload/contest.ts';
import { watchFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

export const bench: Bench = {
  id: 'W15',
  title: '100,000 changes of pods of 3.9 KB, recorded and not, by turns',
  repeats: 7,
  quickRepeats: 3,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 10_000 });
    const events = sized(size, { tiny: 200, quick: 20_000, full: 100_000 });
    const contestants = [
      { ...OWN, name: 'ours' },
      { ...OWN, name: 'recorded to a file', variant: 'default+file' },
      { ...OWN, name: 'recorded in memory', variant: 'default+memory' },
    ];
    const enqueuing: Contest = {
      workload: 'watch',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    };
    const keys = await contest(size, contestants, enqueuing);
    const whole = await contest(size, contestants, { ...enqueuing, reads: 'object' });
    return [...watchFigures(keys), ...watchFigures(whole, 'whole objects: ')];
  },
};
