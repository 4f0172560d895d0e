import { each, megabytes, sized, type Bench, type BenchSize, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { podServer } from './workload/contest.ts';
import {
  controllersWork,
  type ControllersArgument,
  type ControllersResult,
} from './workload/controllers-work.ts';
import { buildPrograms, program } from './workload/programs.ts';

async function workOf(size: BenchSize, argument: ControllersArgument): Promise<ControllersResult> {
  if (size === 'tiny') return await controllersWork(argument);
  const args = ['--expose-gc', program('controllers-work.ts'), JSON.stringify(argument)];
  return await lastLineOf<ControllersResult>(process.execPath, args);
}

function percent(name: string, part: number, whole: number): Figure {
  return { name, value: whole === 0 ? 0 : Math.max(0, (part / whole - 1) * 100), unit: '%' };
}

export const bench: Bench = {
  id: 'W13',
  title:
    'updates of pods to 100 controllers on one informer and to one, whose predicates reject them or not',
  repeats: 3,
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const many = sized(size, { tiny: 3, quick: 100, full: 100 });
    const objects = sized(size, { tiny: 20, quick: 1000, full: 10_000 });
    const events = sized(size, { tiny: 20, quick: 20_000, full: 100_000 });
    await using server = await podServer(size, objects);
    const common = { server: server.url, objects, events, targets: objects };
    const of = (controllers: number, rejects: boolean): Promise<ControllersResult> =>
      workOf(size, { ...common, controllers, rejects });
    const rejecting = [await of(1, true), await of(many, true)] as const;
    const passing = [await of(1, false), await of(many, false)] as const;
    const added = passing[1].eventsCpuMs - passing[0].eventsCpuMs;
    const each100 = Math.max(0, added / (events * (many - 1)));
    return [
      each('rejected, one controller', events, rejecting[0].eventsCpuMs),
      each('rejected, 100 controllers', events, rejecting[1].eventsCpuMs),
      percent('rejected, 100 over one', rejecting[1].eventsCpuMs, rejecting[0].eventsCpuMs),
      each('not rejected, one controller', events, passing[0].eventsCpuMs),
      each('not rejected, 100 controllers', events, passing[1].eventsCpuMs),
      each('not rejected, one more controller', 1, each100),
      each('one plain add of a new key to a queue, and its hand-out', 1, passing[1].addMs),
      { name: 'one more controller, plain adds', value: each100 / passing[1].addMs, unit: '×' },
      megabytes('memory, one controller', passing[0].heapBytes),
      megabytes('memory, 100 controllers', passing[1].heapBytes),
      percent('memory, 100 over one', passing[1].heapBytes, passing[0].heapBytes),
    ];
  },
};
