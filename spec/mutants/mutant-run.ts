import { relative } from 'node:path';
import { runSpecs, type SpecRun } from './mocha-child.ts';
import { equivalenceOf } from './equivalent-mutants.ts';
import { replayCommand, type Mutant } from './mutant-choice.ts';
import { diffOf } from './mutation.ts';
import type { MutantsOptions } from './mutants-options.ts';
import type { FolderScore } from './score-page.ts';
import type { SpecChoice } from './spec-choice.ts';
import { TreeCopy } from './tree-copy.ts';

/** `equivalent` is one that survived and is listed with the reason. */
export type Verdict = 'killed' | 'survived' | 'equivalent' | 'unreached' | 'timed out' | 'no run';

export interface MutantResult {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The spec file that failed, or the test in it. */
  readonly by?: string | undefined;
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
        const result = await this.#check(tree, mutant);
        results.push(result);
        const { print } = this.#options;
        reportResult(print, result, `${results.length}/${mutants.length}`);
      }
    };
    const jobs = Math.min(this.#options.jobs, mutants.length);
    await Promise.all(Array.from({ length: jobs }, work));
    return results;
  }

  async #check(tree: TreeCopy, mutant: Mutant): Promise<MutantResult> {
    const { file, mutation } = mutant;
    const alive = equivalenceOf(mutant) === undefined ? 'survived' : 'equivalent';
    const specs = this.#options.choice.specsFor(file);
    if (specs.length === 0) return { mutant, verdict: alive };
    const baseline = await this.#baseline(tree, specs);
    if (baseline === undefined) return { mutant, verdict: 'no run' };
    const limitMs = TIMES_SLOWER * baseline + MARGIN_MS;
    const { outcome, failed } = await tree.with(file, mutation, () =>
      runSpecs(tree.folder, specs, limitMs),
    );
    if (outcome === 'timed out') return { mutant, verdict: outcome };
    if (outcome === 'passed') return { mutant, verdict: alive };
    const by = failed === undefined ? undefined : relative(tree.folder, failed);
    return { mutant, verdict: 'killed', by };
  }

  /** How long the specs take with the unchanged code; nothing where they do not pass. */
  async #baseline(tree: TreeCopy, specs: readonly string[]): Promise<number | undefined> {
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
    const { outcome, tookMs } = await run;
    return outcome === 'passed' ? tookMs : undefined;
  }
}

/** A line for a mutant; what is alive is shown with its diff, and with the command that runs it again or why it lives. */
export function reportResult(
  print: (line: string) => void,
  { mutant, verdict, by }: MutantResult,
  count: string,
): void {
  const { file, text, mutation } = mutant;
  const killer = by === undefined ? '' : ` by ${by}`;
  print(`${count} ${verdict.padEnd(9)} ${file}:${mutation.line} ${mutation.operator}${killer}`);
  if (verdict === 'killed') return;
  for (const line of diffOf(text, mutation)) print(`    ${line}`);
  const reason = verdict === 'equivalent' ? equivalenceOf(mutant) : undefined;
  print(`    ${reason ?? replayCommand(mutant)}`);
}

/** The figures of each folder; mutants whose specs could not be run are left out. */
export function scoresOf(
  results: readonly MutantResult[],
  options: Pick<MutantsOptions, 'count' | 'seed' | 'whole' | 'reached' | 'specs'>,
): FolderScore[] {
  const { count, seed, whole, reached, specs } = options;
  const from = specs.length > 0 ? ` --specs ${specs.join(',')}` : '';
  const folders = [...new Set(results.map(({ mutant }) => mutant.folder))].toSorted();
  return folders.map((folder) => {
    const verdicts = results.filter(({ mutant }) => mutant.folder === folder);
    const number = (wanted: Verdict): number =>
      verdicts.filter(({ verdict }) => verdict === wanted).length;
    return {
      folder,
      command: `--folder ${folder} --count ${count}${whole ? ' --whole' : ''}${reached ? ' --reached' : ''}${from} --seed ${seed}`,
      killed: number('killed'),
      survived: number('survived') + number('unreached'),
      timedOut: number('timed out'),
      equivalent: number('equivalent'),
    };
  });
}
