import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench, BenchSize, Figure } from './bench.ts';
import { lastLineOf } from './workload/child-process.ts';

const SUFFIX = '.bench.ts';
const MAIN = join(import.meta.dirname, 'main.ts');
/** The loader of TypeScript in the processes that are measured. */
export const AS_INSTALLED: string = pathToFileURL(
  join(import.meta.dirname, 'as-installed.mjs'),
).href;

const SIZE: Readonly<Record<BenchSize, readonly string[]>> = {
  tiny: ['--tiny'],
  quick: ['--quick'],
  full: [],
};

/** The names of all benches: files of this folder, without their ending. */
export function benchNames(): string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();
}

export async function loadBench(name: string): Promise<Bench> {
  const module = (await import(`./${name}${SUFFIX}`)) as { readonly bench: Bench };
  return module.bench;
}

/**
 * The benches that are chosen by id or name, whatever their case; without a choice all of them.
 * @throws {Error} naming what there is when there is none of that name
 */
export async function chosenBenches(only: readonly string[] | undefined): Promise<string[]> {
  const names = benchNames();
  if (only === undefined) return names;
  const ids = await Promise.all(names.map(async (name) => (await loadBench(name)).id));
  const chosen = new Set<string>();
  for (const wanted of only) {
    const asked = wanted.toLowerCase();
    const found = names.filter(
      (name, place) => name.toLowerCase() === asked || ids[place]?.toLowerCase() === asked,
    );
    if (found.length === 0) {
      const all = names.map((name, place) => [ids[place], name].filter(Boolean).join(' '));
      throw new Error(`no bench is called ${wanted}; there are ${all.join(', ')}`);
    }
    for (const name of found) chosen.add(name);
  }
  return names.filter((name) => chosen.has(name));
}

/** The arguments with which Node runs a bench once and prints its figures. */
export function benchArguments(main: string, name: string, size: BenchSize): readonly string[] {
  const node = ['--expose-gc', '--max-old-space-size=8192', '--import', AS_INSTALLED];
  return [...node, main, '--run', name, ...SIZE[size]];
}

/** Runs a bench once in a process of its own, so that neither its garbage nor its compiled code helps or hurts another. */
export function runInChild(name: string, size: BenchSize): Promise<readonly Figure[]> {
  return lastLineOf<readonly Figure[]>(process.execPath, benchArguments(MAIN, name, size));
}
