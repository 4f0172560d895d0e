import { perSecond, sized, type Bench, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { buildPrograms, clientGo, program } from './workload/programs.ts';
import { queueWork, type QueueResult } from './workload/queue-work.ts';

function figuresOf(contestant: string, result: QueueResult): Figure[] {
  const { cycles, cycleMs, tenWorkersCycleMs, sameKeyCycleMs } = result;
  return [
    perSecond('cycles of distinct keys', cycles, cycleMs),
    perSecond('cycles of distinct keys, ten workers', cycles, tenWorkersCycleMs),
    perSecond('cycles of one key', cycles, sameKeyCycleMs),
  ].map((figure) => ({ ...figure, contestant, compared: true }));
}

export const bench: Bench = {
  id: 'W5',
  title: 'a rate-limiting work queue: add, take, forget, done',
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 20_000, full: 100_000 });
    if (size === 'tiny') return figuresOf('ours', await queueWork(objects));
    const args = [program('queue-work.ts'), JSON.stringify({ objects })];
    const figures = figuresOf('ours', await lastLineOf(process.execPath, args));
    const go = clientGo();
    if (go !== undefined) {
      const argument = JSON.stringify({ workload: 'queue', objects });
      figures.push(...figuresOf('client-go', await lastLineOf(go, ['contestant', argument])));
    }
    return figures;
  },
};
