import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench, BenchSize, Figure } from './bench.ts';
import { AS_INSTALLED, benchArguments, loadBench } from './run-bench.ts';
import { aligned, digits } from './report.ts';
import { run } from './workload/child-process.ts';
import { OWN, takeOnly } from './workload/contest.ts';
import { buildOwnPrograms, buildPrograms } from './workload/programs.ts';

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
  const environments = await environmentsOf([here, there], names);
  takeOnly([OWN.name]);
  for (const name of names) {
    if (!existsSync(join(there, 'spec/bench', `${name}.bench.ts`))) {
      process.stderr.write(`${name}: not in ${there}\n`);
      continue;
    }
    const runs: { readonly there: readonly Figure[]; readonly here: readonly Figure[] }[] = [];
    for (let turn = 1; turn <= repeats; turn += 1) {
      process.stderr.write(`${name}: run ${turn} of ${repeats} in each\n`);
      const [one, other] = turn % 2 === 1 ? [there, here] : [here, there];
      const first = await figuresOf(one, name, size, environments.get(one));
      const second = await figuresOf(other, name, size, environments.get(other));
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

/** Builds once the programs that the benches of each checkout run. Gives the environment in which they find it. */
async function environmentsOf(
  checkouts: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, NodeJS.ProcessEnv>> {
  const environments = new Map<string, NodeJS.ProcessEnv>();
  const benches = await Promise.all(names.map(loadBench));
  for (const checkout of checkouts) {
    for (const [index, { prepare }] of benches.entries()) {
      if (prepare === undefined) continue;
      if (prepare !== buildPrograms) await prepareIn(checkout, names[index] ?? '');
      else if (!environments.has(checkout)) {
        environments.set(checkout, await buildOwnPrograms(checkout));
      }
    }
  }
  return environments;
}

/** As the other checkout prepares it, if it has that bench. */
async function prepareIn(checkout: string, name: string): Promise<void> {
  const path = join(checkout, 'spec/bench', `${name}.bench.ts`);
  if (!existsSync(path)) return;
  const { bench } = (await import(pathToFileURL(path).href)) as { readonly bench: Bench };
  await bench.prepare?.();
}

async function figuresOf(
  checkout: string,
  name: string,
  size: BenchSize,
  environment: NodeJS.ProcessEnv | undefined,
): Promise<readonly Figure[]> {
  const main = join(checkout, 'spec/bench/main.ts');
  // The processes that the bench of the other checkout starts are loaded in the same way.
  const env = { ...process.env, ...environment, NODE_OPTIONS: `--import ${AS_INSTALLED}` };
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
