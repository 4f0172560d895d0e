import { perSecond, sized, type Bench, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { buildPrograms, clientGo, program } from './workload/programs.ts';
import {
  priorityWork,
  queueWork,
  type PriorityResult,
  type QueueResult,
} from './workload/queue-work.ts';

function figuresOf(contestant: string, result: QueueResult): Figure[] {
  const { cycles, cycleMs, tenWorkersCycleMs, sameKeyCycleMs } = result;
  return [
    perSecond('cycles of distinct keys', cycles, cycleMs),
    perSecond('cycles of distinct keys, ten workers', cycles, tenWorkersCycleMs),
    perSecond('cycles of one key', cycles, sameKeyCycleMs),
  ].map((figure) => ({ ...figure, contestant, compared: true }));
}

function priorityFigures({ keys, plainMs, prioritisedMs }: PriorityResult): Figure[] {
  return [
    perSecond(`${keys.toLocaleString('en')} keys, plain`, keys, plainMs),
    perSecond(`${keys.toLocaleString('en')} keys, with priorities`, keys, prioritisedMs),
  ];
}

export const bench: Bench = {
  id: 'W5',
  title: 'a rate-limiting work queue: add, take, forget, done',
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 20_000, full: 100_000 });
    const keys = sized(size, { tiny: 100, quick: 200_000, full: 1_000_000 });
    if (size === 'tiny') {
      const own = figuresOf('ours', await queueWork(objects));
      return [...own, ...priorityFigures(await priorityWork(keys))];
    }
    const args = [program('queue-work.ts'), JSON.stringify({ objects })];
    const figures = figuresOf('ours', await lastLineOf(process.execPath, args));
    const prioritised = JSON.stringify({ objects: keys, priorities: true });
    const one = await lastLineOf<PriorityResult>(process.execPath, [args[0] ?? '', prioritised]);
    figures.push(...priorityFigures(one));
    const go = clientGo();
    if (go !== undefined) {
      const argument = JSON.stringify({ workload: 'queue', objects });
      figures.push(...figuresOf('client-go', await lastLineOf(go, ['contestant', argument])));
    }
    return figures;
  },
};
