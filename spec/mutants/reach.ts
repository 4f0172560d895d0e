import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutant-choice.ts';
import { probed } from './probes.ts';
import { TreeCopy } from './tree-copy.ts';

/** What one spec file reached, of probes that are known by number; without a spec, what importing the files reached. */
export interface SpecReach {
  readonly spec?: string | undefined;
  readonly tookMs: number;
  /** With the unchanged code. */
  readonly failed: boolean;
  readonly reached: readonly number[];
}

/** A spec file that reaches a mutant. */
export interface Reaching {
  readonly spec: string;
  readonly tookMs: number;
}

/** Which spec files run the places of which mutants, found by running them all once. */
export class Reach {
  readonly #bySpec: readonly SpecReach[];
  readonly #numbers: ReadonlyMap<string, number>;

  private constructor(mutants: readonly Mutant[], bySpec: readonly SpecReach[]) {
    this.#numbers = new Map(mutants.map((mutant, number) => [nameOf(mutant), number]));
    this.#bySpec = bySpec;
  }

  /** Runs the specs, in `jobs` processes side by side, in a copy of the tree with a probe for each mutant. */
  static async measure(
    root: string,
    mutants: readonly Mutant[],
    specs: readonly string[],
    jobs: number,
  ): Promise<Reach> {
    using tree = new TreeCopy(root);
    for (const file of new Set(mutants.map((mutant) => mutant.file))) {
      const probes = mutants.flatMap((mutant, number) =>
        mutant.file === file ? [{ number, mutation: mutant.mutation }] : [],
      );
      const path = join(tree.folder, file);
      writeFileSync(path, probed(readFileSync(path, 'utf8'), probes));
    }
    const parts = Array.from({ length: jobs }, (_, job) =>
      specs.filter((_spec, at) => at % jobs === job),
    );
    const outputs = parts.map((_, job) => join(tree.folder, '.tmp', `reach-${job}.jsonl`));
    await Promise.all(parts.map((part, job) => runPart(tree.folder, outputs[job] ?? '', part)));
    const lines = outputs.flatMap((output) =>
      existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [],
    );
    const bySpec = lines.map((line): SpecReach => JSON.parse(line));
    return new Reach(mutants, bySpec);
  }

  /** What an earlier run wrote into a file, for the same mutants. */
  static read(path: string, mutants: readonly Mutant[]): Reach | undefined {
    if (!existsSync(path)) return undefined;
    const { names, bySpec }: { names: string[]; bySpec: SpecReach[] } = JSON.parse(
      readFileSync(path, 'utf8'),
    );
    if (names.join('\n') !== mutants.map(nameOf).join('\n')) return undefined;
    return new Reach(mutants, bySpec);
  }

  write(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ names: [...this.#numbers.keys()], bySpec: this.#bySpec }));
  }

  /** Those that reach a mutant and pass with the unchanged code, the fastest first. */
  specsFor(mutant: Mutant): Reaching[] {
    const number = this.#numbers.get(nameOf(mutant));
    return this.#bySpec
      .flatMap(({ spec, tookMs, failed, reached }) =>
        spec !== undefined && !failed && number !== undefined && reached.includes(number)
          ? [{ spec, tookMs }]
          : [],
      )
      .toSorted((left, right) => left.tookMs - right.tookMs);
  }

  /** Whether a mutant changes what happens when a file is imported. */
  isLoaded(mutant: Mutant): boolean {
    const number = this.#numbers.get(nameOf(mutant)) ?? -1;
    return this.#bySpec.some(({ spec, reached }) => spec === undefined && reached.includes(number));
  }

  /** Those that reach any mutant of a file. */
  specsOf(file: string): Reaching[] {
    const numbers = [...this.#numbers].filter(([name]) => name.startsWith(`${file} `));
    const wanted = new Set(numbers.map(([, number]) => number));
    return this.#bySpec.flatMap(({ spec, tookMs, failed, reached }) =>
      spec !== undefined && !failed && reached.some((number) => wanted.has(number))
        ? [{ spec, tookMs }]
        : [],
    );
  }

  /** The spec files that fail with the unchanged code. */
  failing(): string[] {
    return this.#bySpec.flatMap(({ spec, failed }) => (failed && spec !== undefined ? [spec] : []));
  }
}

function nameOf({ file, mutation }: Mutant): string {
  return `${file} ${mutation.id}`;
}

async function runPart(folder: string, output: string, specs: readonly string[]): Promise<void> {
  mkdirSync(dirname(output), { recursive: true });
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'spec/mutants/reach-child.ts', output, ...specs],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
