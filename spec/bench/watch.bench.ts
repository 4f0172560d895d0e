import { sized, type Bench } from './bench.ts';
import { contest, ownContestants, peers, type Contest } from './workload/contest.ts';
import { watchFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

export const bench: Bench = {
  id: 'W2',
  title: '100,000 changes of pods of 3.9 KB: until a work queue has handed out every key',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 100_000 });
    const events = sized(size, { tiny: 200, quick: 20_000, full: 100_000 });
    const enqueuing: Contest = {
      workload: 'watch',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    };
    const reading: Contest = { ...enqueuing, reads: 'object' };
    const comparing: Contest = { ...enqueuing, reads: 'both' };
    // How the first list came in makes no difference to changes.
    const others = peers(size).filter(({ listWatch }) => listWatch !== true);
    // For the others it makes no difference: they have decoded the object before the handler is called.
    const both = await contest(size, [...ownContestants(), ...others], enqueuing);
    const whole = await contest(size, ownContestants(), reading);
    const oldAndNew = await contest(size, ownContestants(), comparing);
    const theirs = both.filter(({ contestant }) => !contestant.startsWith('ours'));
    return [
      ...watchFigures(both),
      ...watchFigures([...whole, ...theirs], 'whole objects: '),
      ...watchFigures([...oldAndNew, ...theirs], 'old and new objects: '),
    ];
  },
};
