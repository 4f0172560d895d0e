import { runSpecs, type SpecRun } from './mocha-child.ts';
import { replayCommand, type Mutant } from './mutant-choice.ts';
import { diffOf } from './mutation.ts';
import type { RoomScore } from './score-page.ts';
import type { SpecChoice } from './spec-choice.ts';
import { TreeCopy } from './tree-copy.ts';

export type Verdict = 'killed' | 'survived' | 'timed out' | 'no run';

export interface MutantResult {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

/** A mutant may take this many times as long as the unchanged code, and this much more. */
const TIMES_SLOWER = 4;
const MARGIN_MS = 10_000;
/** Longest run of unchanged code. */
const BASELINE_MS = 600_000;

export interface MutantRunOptions {
  readonly root: string;
  readonly choice: SpecChoice;
  readonly jobs: number;
  readonly print: (line: string) => void;
}

/** Plants one mutant after the other in copies of the tree and runs the specs that should notice. */
export class MutantRun {
  readonly #options: MutantRunOptions;
  /** Of the unchanged code, by the spec files that ran. */
  readonly #baselines = new Map<string, Promise<SpecRun>>();

  constructor(options: MutantRunOptions) {
    this.#options = options;
  }

  async run(mutants: readonly Mutant[]): Promise<MutantResult[]> {
    const left = [...mutants];
    const results: MutantResult[] = [];
    const work = async (): Promise<void> => {
      using tree = new TreeCopy(this.#options.root);
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        const verdict = await this.#judge(tree, mutant);
        results.push({ mutant, verdict });
        this.#report(mutant, verdict, results.length, mutants.length);
      }
    };
    const jobs = Math.min(this.#options.jobs, mutants.length);
    await Promise.all(Array.from({ length: jobs }, work));
    return results;
  }

  async #judge(tree: TreeCopy, { file, mutation }: Mutant): Promise<Verdict> {
    const specs = this.#options.choice.specsFor(file);
    if (specs.length === 0) return 'survived';
    const baseline = await this.#baseline(tree, specs);
    if (baseline.outcome !== 'passed') return 'no run';
    const limitMs = TIMES_SLOWER * baseline.tookMs + MARGIN_MS;
    const { outcome } = await tree.with(file, mutation, () =>
      runSpecs(tree.folder, specs, limitMs),
    );
    return outcome === 'failed' ? 'killed' : outcome === 'passed' ? 'survived' : outcome;
  }

  async #baseline(tree: TreeCopy, specs: readonly string[]): Promise<SpecRun> {
    const key = specs.join(' ');
    let run = this.#baselines.get(key);
    if (run === undefined) {
      run = runSpecs(tree.folder, specs, BASELINE_MS);
      this.#baselines.set(key, run);
      const { outcome, output } = await run;
      if (outcome !== 'passed') {
        this.#options.print(`the unchanged code ${outcome} in ${key}:\n${output}`);
      }
    }
    return await run;
  }

  #report(mutant: Mutant, verdict: Verdict, done: number, total: number): void {
    const { print } = this.#options;
    const { file, text, mutation } = mutant;
    print(`${done}/${total} ${verdict.padEnd(9)} ${file}:${mutation.line} ${mutation.operator}`);
    if (verdict === 'killed') return;
    for (const line of diffOf(text, mutation)) print(`    ${line}`);
    print(`    ${replayCommand(mutant)}`);
  }
}

/** The figures of each room; mutants whose specs could not be run are left out. */
export function scoresOf(
  results: readonly MutantResult[],
  { count, seed }: { readonly count: number; readonly seed: string },
): RoomScore[] {
  const rooms = [...new Set(results.map(({ mutant }) => mutant.room))].toSorted();
  return rooms.map((room) => {
    const verdicts = results.filter(({ mutant }) => mutant.room === room);
    const number = (wanted: Verdict): number =>
      verdicts.filter(({ verdict }) => verdict === wanted).length;
    const timedOut = number('timed out');
    return { room, count, seed, killed: number('killed'), survived: number('survived'), timedOut };
  });
}
