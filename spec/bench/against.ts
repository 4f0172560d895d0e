import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BenchSize, Figure } from './bench.ts';
import { AS_INSTALLED, benchArguments } from './run-bench.ts';
import { aligned, digits } from './report.ts';
import { run } from './workload/child-process.ts';

/** Below this share of the other checkout's best, a figure is marked. Runs of the same code lie about this far apart. */
const MARKED_BELOW = 0.95;

export interface AgainstOptions {
  /** The folder of the other checkout, in which `npm ci` was run. */
  readonly checkout: string;
  readonly names: readonly string[];
  readonly size: BenchSize;
  /** Runs of each bench in each checkout. */
  readonly repeats: number;
}

interface Best {
  readonly bench: string;
  readonly figure: Figure;
  readonly there: number;
  readonly here: number;
}

/**
 * Runs benches in this checkout and in another one by turns, and returns a table of the best values of both. The best of several
 * runs is compared, because other work on the machine only makes a run slower.
 */
export async function against({ checkout, names, size, repeats }: AgainstOptions): Promise<string> {
  const here = resolve(import.meta.dirname, '../..');
  const there = resolve(checkout);
  const rows: Best[] = [];
  for (const name of names) {
    if (!existsSync(join(there, 'spec/bench', `${name}.bench.ts`))) {
      process.stderr.write(`${name}: not in ${there}\n`);
      continue;
    }
    const runs: { readonly there: readonly Figure[]; readonly here: readonly Figure[] }[] = [];
    for (let turn = 1; turn <= repeats; turn += 1) {
      process.stderr.write(`${name}: run ${turn} of ${repeats} in each\n`);
      const first = await figuresOf(turn % 2 === 1 ? there : here, name, size);
      const second = await figuresOf(turn % 2 === 1 ? here : there, name, size);
      runs.push(turn % 2 === 1 ? { there: first, here: second } : { there: second, here: first });
    }
    for (const figure of runs[0]?.here ?? []) {
      const best = (side: 'there' | 'here'): number =>
        bestOf(
          figure,
          runs.map((one) => valueIn(one[side], figure)),
        );
      rows.push({ bench: name, figure, there: best('there'), here: best('here') });
    }
  }
  return textOf(rows);
}

async function figuresOf(
  checkout: string,
  name: string,
  size: BenchSize,
): Promise<readonly Figure[]> {
  const main = join(checkout, 'spec/bench/main.ts');
  // The processes that the bench of the other checkout starts are loaded in the same way.
  const env = { ...process.env, NODE_OPTIONS: `--import ${AS_INSTALLED}` };
  const output = await run(process.execPath, benchArguments(main, name, size), {
    cwd: checkout,
    env,
  });
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as readonly Figure[];
}

function valueIn(figures: readonly Figure[], { name, contestant }: Figure): number {
  return figures.find((one) => one.name === name && one.contestant === contestant)?.value ?? NaN;
}

/** Rates are better when they are higher, times and sizes when they are lower. */
function bestOf({ unit }: Figure, values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return NaN;
  return unit === '/s' ? Math.max(...known) : Math.min(...known);
}

function textOf(rows: readonly Best[]): string {
  const lines = rows.map(({ bench, figure, there, here }) => {
    const { name, contestant, unit } = figure;
    const ratio = unit === '/s' ? here / there : there / here;
    const mark = ratio < MARKED_BELOW ? 'worse' : '';
    const what = contestant === undefined ? name : `${name}: ${contestant}`;
    return [bench, what, digits(there), digits(here), unit, digits(ratio), mark];
  });
  return aligned(['bench', 'figure', 'there', 'here', '', 'times better', ''], [0, 1, 4, 6], lines);
}
