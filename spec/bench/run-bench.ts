import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench, BenchSize, Figure } from './bench.ts';

const SUFFIX = '.bench.ts';
const MAIN = join(import.meta.dirname, 'main.ts');

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

/** Runs a bench once in a process of its own, so that neither its garbage nor its compiled code helps or hurts another. */
export async function runInChild(name: string, size: BenchSize): Promise<readonly Figure[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--expose-gc',
      '--max-old-space-size=8192',
      '--import',
      'tsx',
      MAIN,
      '--run',
      name,
      ...SIZE[size],
    ],
    { maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as readonly Figure[];
}
