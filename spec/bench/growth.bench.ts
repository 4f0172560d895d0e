import { each, sized, type Bench, type Figure } from './bench.ts';
import {
  contest,
  ownContestants,
  type Contest,
  type ContestantOf,
  type Outcome,
} from './workload/contest.ts';
import { buildPrograms } from './workload/programs.ts';

/** The way of keeping objects that has room for a million of them, where there is a choice. */
function smallest(): ContestantOf {
  const own = ownContestants();
  return own.find(({ variant }) => variant === 'compressed') ?? own[0]!;
}

function figuresOf(outcomes: readonly Outcome[], labels: readonly string[]): Figure[] {
  return outcomes.map(({ contestant, result }, place) => ({
    ...each(`an event, ${labels[place] ?? ''}`, result.events, result.watchMs),
    contestant,
  }));
}

export const bench: Bench = {
  id: 'W8',
  title: 'whether an event costs more with more objects, or with more indexes',
  repeats: 2,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const own = smallest();
    const events = sized(size, { tiny: 50, quick: 20_000, full: 100_000 });
    const usual = sized(size, { tiny: 50, quick: 5000, full: 10_000 });
    const with_ = (objects: number, indexes = 0): Contest => ({
      workload: 'watch',
      objects,
      events,
      targets: objects,
      handlers: 1,
      reads: 'metadata',
      indexes,
    });
    const million = own.variant === 'compressed' ? [1_000_000] : [];
    const counts = {
      tiny: [10, 50],
      quick: [1000, 10_000],
      full: [1000, 10_000, 100_000, ...million],
    }[size];
    const indexes = [1, 5, 20];
    const grown = await contest(
      size,
      [own],
      counts.map((count) => with_(count)),
    );
    const indexed = await contest(
      size,
      [own],
      indexes.map((count) => with_(usual, count)),
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
