import { seconds, sized, type Bench, type BenchSize, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { podServer } from './workload/contest.ts';
import { controllersWork, type ControllersResult } from './workload/controllers-work.ts';
import { buildPrograms, clientGo, program } from './workload/programs.ts';

const NAME = 'idle again after a restart';

async function own(size: BenchSize, server: string, objects: number): Promise<Figure> {
  const argument = { server, objects, events: 0, targets: 1, controllers: 1, rejects: false };
  const startedMs = performance.now();
  if (size === 'tiny') {
    await controllersWork(argument);
    return { ...seconds(NAME, performance.now() - startedMs), contestant: 'ours', compared: true };
  }
  const args = [program('controllers-work.ts'), JSON.stringify(argument)];
  const { idleMs } = await lastLineOf<ControllersResult>(process.execPath, args);
  return { ...seconds(NAME, idleMs), contestant: 'ours', compared: true };
}

export const bench: Bench = {
  id: 'W12',
  title:
    'a controller that is started again with 10,000 pods: until each was reconciled, which does nothing',
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 50, quick: 10_000, full: 10_000 });
    await using server = await podServer(size, objects);
    const figures = [await own(size, server.url, objects)];
    const go = clientGo();
    if (size === 'tiny') return figures;
    if (go === undefined) {
      process.stderr.write('Go is missing: no figures of client-go\n');
      return figures;
    }
    const task = { server: server.url, workload: 'restart', variant: 'typed-json', objects };
    const args = ['contestant', JSON.stringify(task)];
    const { idleMs } = await lastLineOf<{ readonly idleMs: number }>(go, args);
    return [...figures, { ...seconds(NAME, idleMs), contestant: 'client-go', compared: true }];
  },
};
