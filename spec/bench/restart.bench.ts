import { seconds, sized, type Bench, type BenchSize, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { podServer } from './workload/contest.ts';
import { controllersWork, type ControllersResult } from './workload/controllers-work.ts';
import { buildPrograms, clientGo, program } from './workload/programs.ts';

const NAME = 'idle again after a restart';

interface OwnRun {
  readonly size: BenchSize;
  readonly server: string;
  readonly objects: number;
  readonly traced: boolean;
}

async function own({ size, server, objects, traced }: OwnRun): Promise<Figure> {
  const work = { server, objects, events: 0, targets: 1, controllers: 1, rejects: false };
  const argument = { ...work, traced };
  const contestant = traced ? 'ours, traced' : 'ours';
  const startedMs = performance.now();
  if (size === 'tiny') {
    await controllersWork(argument);
    return { ...seconds(NAME, performance.now() - startedMs), contestant, compared: true };
  }
  const args = [program('controllers-work.ts'), JSON.stringify(argument)];
  const { idleMs } = await lastLineOf<ControllersResult>(process.execPath, args);
  return { ...seconds(NAME, idleMs), contestant, compared: true };
}

export const bench: Bench = {
  id: 'W12',
  title:
    'a controller that is started again with 10,000 pods: until each was reconciled, which does nothing',
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 50, quick: 10_000, full: 10_000 });
    await using server = await podServer(size, objects);
    const task = { size, server: server.url, objects };
    const figures = [await own({ ...task, traced: false }), await own({ ...task, traced: true })];
    const go = clientGo();
    if (size === 'tiny') return figures;
    if (go === undefined) {
      process.stderr.write('Go is missing: no figures of client-go\n');
      return figures;
    }
    const restart = { server: server.url, workload: 'restart', variant: 'typed-json', objects };
    const args = ['contestant', JSON.stringify(restart)];
    const { idleMs } = await lastLineOf<{ readonly idleMs: number }>(go, args);
    return [...figures, { ...seconds(NAME, idleMs), contestant: 'client-go', compared: true }];
  },
};
