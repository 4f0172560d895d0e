import { megabytes, perSecond, sized, type Bench, type Figure } from './bench.ts';
import { contest, OWN, ownContestants, peers, type Contest } from './workload/contest.ts';
import { memoryFigures } from './workload/figures.ts';
import { buildPrograms } from './workload/programs.ts';

const MILLION: Contest = {
  workload: 'watch',
  objects: 1_000_000,
  events: 100_000,
  targets: 1_000_000,
  handlers: 1,
  reads: 'metadata',
};

/** A million pods: what they take, and whether changes still come through. */
async function million(): Promise<Figure[]> {
  const outcomes = await contest('full', [OWN], MILLION);
  return outcomes.flatMap(({ contestant, result }) => {
    const figures: Figure[] = [
      { name: 'a million pods: sync', value: result.syncMs / 1000, unit: 's' },
      perSecond('a million pods: events', result.events, result.watchMs),
      megabytes('a million pods: resident', result.rssBytes),
      megabytes('a million pods: peak resident', result.peakRssBytes),
    ];
    return figures.map((figure) => ({ ...figure, contestant }));
  });
}

export const bench: Bench = {
  id: 'W3',
  title: 'what a pod of 3.9 KB takes in a cache of 100,000, resident after a garbage collection',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 100_000 });
    const outcomes = await contest(size, [...ownContestants(), ...peers(size)], {
      workload: 'memory',
      objects,
      events: 0,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
    });
    const figures = memoryFigures(outcomes, objects);
    return size === 'full' ? [...figures, ...(await million())] : figures;
  },
};
