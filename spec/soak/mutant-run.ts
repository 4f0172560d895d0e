import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MUTANTS, type Mutant } from './mutants.ts';
import type { SoakTotals } from './soak-report.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** A mutant that is not found by as many seeds counts as missed. */
const MOST_SEEDS = 500;

/** The result of a mutant: the first seed that fails, or why there is none. */
export type Verdict =
  | { readonly seed: number; readonly failure: string }
  | { readonly missed: string }
  /** No seed fails, but some gave no answer: a hang, or a machine that is too busy. */
  | { readonly inconclusive: string };

/** The verdict of a soak of so many seeds that ended with its first failure. */
export function verdictOf(
  { failures, inconclusive }: Pick<SoakTotals, 'failures' | 'inconclusive'>,
  seeds: number,
): Verdict {
  const [first] = failures;
  if (first !== undefined) return { seed: first.seed, failure: first.failures[0] ?? '' };
  const [silent] = inconclusive;
  if (silent === undefined) return { missed: `${seeds} seeds do not find it` };
  return { inconclusive: `seed ${silent.seed} gave no answer within ${silent.limitMs / 1000} s` };
}

/** Plays seeds against broken copies of the code, one bug each, and prints how many each bug takes to be found. */
export async function runMutants(names: readonly string[], seeds: number): Promise<boolean> {
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`there is no mutant ${unknown.join(', ')}`);
  const left = MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
  let [missed, inconclusive] = [0, 0];
  const work = async (): Promise<void> => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const verdict = await hunt(mutant, Math.min(seeds, MOST_SEEDS));
      if ('missed' in verdict) missed += 1;
      if ('inconclusive' in verdict) inconclusive += 1;
      console.log(describe(mutant, verdict));
    }
  };
  const total = left.length;
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const found = total - missed - inconclusive;
  console.log(`\n${found} of ${total} mutants found, ${inconclusive} inconclusive`);
  return found === total;
}

/** Whether the text that a mutant changes is still there. */
export function applies({ file, from }: Mutant): boolean {
  return readFileSync(join(ROOT, 'lib', file), 'utf8').split(from).length === 2;
}

async function hunt(mutant: Mutant, seeds: number): Promise<Verdict> {
  if (!applies(mutant)) return { missed: `lib/${mutant.file} does not have the text to change` };
  const copy = mkdtempSync(join(tmpdir(), `soak-${mutant.name}-`));
  try {
    plant(mutant, copy);
    const figures = join(copy, 'figures.json');
    const args = ['--seeds', String(seeds), '--workers', '1', '--stop-at-first', '--json', figures];
    await play(copy, args);
    return verdictOf(JSON.parse(readFileSync(figures, 'utf8')) as SoakTotals, seeds);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function plant({ file, from, to }: Mutant, copy: string): void {
  for (const part of ['lib', 'spec/soak', 'spec/cache/support', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const path = join(copy, 'lib', file);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(from, () => to),
  );
}

/** Resolves when the process has ended, failed seeds or not. */
function play(copy: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join('spec', 'soak', 'soak.ts'), ...args],
      { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    child.once('error', fail);
    child.once('exit', () => {
      done();
    });
  });
}

function describe({ name, bug }: Mutant, verdict: Verdict): string {
  const title = `${name.padEnd(26)} ${bug}`;
  if ('missed' in verdict) return `MISSED  ${title}\n          ${verdict.missed}`;
  if ('inconclusive' in verdict) return `UNSURE  ${title}\n          ${verdict.inconclusive}`;
  const { seed, failure } = verdict;
  return `seed ${String(seed).padStart(3)} ${title}\n          ${failure.trim().slice(0, 160)}`;
}
