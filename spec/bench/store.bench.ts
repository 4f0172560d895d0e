import { perSecond, sized, type Bench, type Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';
import { buildPrograms, program } from './workload/programs.ts';
import { storeWork, type StoreResult } from './workload/store-work.ts';

function figuresOf(result: StoreResult): Figure[] {
  const rate = (name: string, eachUs: number): Figure => perSecond(name, 1, eachUs / 1000);
  const some = `byIndex of ${Math.round(result.objectsOfAValue)}`;
  return [
    rate('get', result.getUs),
    rate('update with 3 indexes', result.updateUs),
    rate(some, result.byIndexUs),
    rate(`update and ${some}`, result.updateAndByIndexUs),
    rate('list', result.listUs),
  ];
}

export const bench: Bench = {
  id: 'W4',
  title: 'reads and writes of a store of 100,000 pods',
  quickRepeats: 1,
  prepare: buildPrograms,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 10_000, full: 100_000 });
    const operations = sized(size, { tiny: 100, quick: 50_000, full: 200_000 });
    const argument = { objects, operations };
    if (size === 'tiny') return figuresOf(storeWork(argument));
    const node = ['--max-old-space-size=8192', program('store-work.ts')];
    return figuresOf(await lastLineOf(process.execPath, [...node, JSON.stringify(argument)]));
  },
};
