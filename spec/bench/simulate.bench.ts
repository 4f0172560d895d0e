import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { each, perSecond, sized, type Bench, type Figure } from './bench.ts';
import type { SimulateArgument, SimulateResult } from './simulate-work.ts';
import { lastLineOf } from './workload/child-process.ts';
import { BENCH_FOLDER } from './workload/programs.ts';

/** One file, as tsx would slow down each function that is made in a run. */
const PROGRAM = join(BENCH_FOLDER, 'simulate-work.mjs');

const CONTROLLERS = ['shops', 'site-operator'] as const;

async function bundle(): Promise<void> {
  rmSync(PROGRAM, { force: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'simulate-work.ts')],
    outfile: PROGRAM,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    conditions: ['@listwatch/source'],
    // `listwatch` is this package, everything else is installed.
    alias: { listwatch: join(import.meta.dirname, '../../lib/index.ts') },
    define: {
      'import.meta.dirname': JSON.stringify(join(import.meta.dirname, '../simulator/examples')),
    },
    logLevel: 'warning',
  });
}

function figuresOf(contestant: string, { runs, processorMs, virtualMs }: SimulateResult): Figure[] {
  return [
    { ...perSecond('runs in a second of processor time', runs, processorMs), contestant },
    { ...each('processor time of a run', runs, processorMs), contestant },
    { name: 'virtual time of a run', value: virtualMs / runs / 1000, unit: 's', contestant },
  ];
}

export const bench: Bench = {
  id: 'W16',
  title:
    'runs of a simulation without faults until the controller is idle: that of the guide, and examples/site-operator',
  prepare: bundle,
  run: async (size) => {
    const runs = sized(size, { tiny: 2, quick: 100, full: 500 });
    const warmUp = sized(size, { tiny: 0, quick: 300, full: 600 });
    const figures: Figure[] = [];
    for (const of of CONTROLLERS) {
      const argument: SimulateArgument = { of, runs, warmUp };
      const result =
        size === 'tiny'
          ? await (await import('./simulate-work.ts')).simulateWork(argument)
          : await lastLineOf<SimulateResult>(process.execPath, [PROGRAM, JSON.stringify(argument)]);
      figures.push(...figuresOf(of, result));
    }
    return figures;
  },
};
