import { perSecond, sized, type Bench, type Figure } from './bench.ts';
import { contest, OWN, type Contest } from './workload/contest.ts';
import { buildPrograms } from './workload/programs.ts';

const HANDLERS = [1, 10, 100];

export const bench: Bench = {
  id: 'W6',
  title: '1, 10 and 100 handlers on one informer: changes a second that reach all of them',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 50, quick: 5000, full: 20_000 });
    const events = sized(size, { tiny: 50, quick: 20_000, full: 100_000 });
    const one: Contest = {
      workload: 'watch',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'nothing',
    };
    const counting = HANDLERS.map((handlers) => ({ ...one, handlers }));
    const enqueuing = counting.map((contest) => ({ ...contest, reads: 'metadata' as const }));
    const all = [...counting, ...enqueuing];
    const outcomes = await contest(size, [OWN], all);
    const rates = outcomes.map(({ result }) => (result.events / result.watchMs) * 1000);
    const figures: Figure[] = all.map(({ handlers, reads }, which) => {
      const what = reads === 'nothing' ? 'counting' : 'with a work queue each';
      return perSecond(`${handlers} ${what}`, rates[which]!, 1000);
    });
    const kept = (what: string, first: number): Figure => ({
      name: `100 ${what}, of the rate of one`,
      value: (rates[first + HANDLERS.length - 1]! / rates[first]!) * 100,
      unit: '%',
    });
    figures.push(kept('counting', 0), kept('with a work queue each', HANDLERS.length));
    return figures;
  },
};
