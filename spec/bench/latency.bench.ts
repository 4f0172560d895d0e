import { sized, type Bench } from './bench.ts';
import { contest, ownContestants, peers } from './workload/contest.ts';
import { latencyFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

export const bench: Bench = {
  id: 'W14',
  title:
    'from the write of an event, one every 2 ms, to the handler in another process; 10,000 pods',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 10_000 });
    const events = sized(size, { tiny: 20, quick: 4000, full: 20_000 });
    const others = peers(size).filter(
      ({ name, listWatch }) => listWatch !== true && !name.startsWith('plain'),
    );
    const contestants = [...ownContestants(), ...others].map((one) => ({ ...one, share: 1 }));
    const outcomes = await contest(size, contestants, {
      workload: 'latency',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    });
    return latencyFigures(outcomes);
  },
};
