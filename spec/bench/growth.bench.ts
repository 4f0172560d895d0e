import { each, sized, type Bench, type Figure } from './bench.ts';
import { contest, OWN, type Contest, type Outcome } from './workload/contest.ts';
import { buildPrograms } from './workload/programs.ts';

function figuresOf(outcomes: readonly Outcome[], labels: readonly string[]): Figure[] {
  return outcomes.flatMap(({ contestant, result }, place) => {
    const { events, watchMs, watchCpuMs, watchAfterCpuMs = 0 } = result;
    const label = labels[place] ?? '';
    return [
      { ...each(`an event, ${label}`, events, watchMs), contestant },
      { ...each(`CPU of an event, ${label}`, events, watchCpuMs + watchAfterCpuMs), contestant },
    ];
  });
}

export const bench: Bench = {
  id: 'W8',
  title: 'whether an event costs more with more objects, or with more indexes',
  repeats: 2,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const events = sized(size, { tiny: 50, quick: 20_000, full: 100_000 });
    const usual = sized(size, { tiny: 50, quick: 5000, full: 10_000 });
    const changesOf = (objects: number, indexes = 0): Contest => ({
      workload: 'watch',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
      indexes,
    });
    const counts = {
      tiny: [10, 50],
      quick: [1000, 10_000],
      full: [1000, 10_000, 100_000, 1_000_000],
    }[size];
    const indexes = [1, 5, 20];
    const grown = await contest(
      size,
      [OWN],
      counts.map((count) => changesOf(count)),
    );
    const indexed = await contest(
      size,
      [OWN],
      indexes.map((count) => changesOf(usual, count)),
    );
    return [
      ...figuresOf(
        grown,
        counts.map((count) => `${count.toLocaleString('en')} objects`),
      ),
      ...figuresOf(
        indexed,
        indexes.map((count) => `${count} indexes`),
      ),
    ];
  },
};
