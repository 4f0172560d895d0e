import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chooseMutants, LEFT_OUT, type Mutant } from './mutant-choice.ts';
import { MutantRun, reportResult, scoresOf, type MutantResult } from './mutant-run.ts';
import { HELP, readMutantsOptions } from './mutants-options.ts';
import { pageWith, percentKilled } from './score-page.ts';
import { SpecChoice } from './spec-choice.ts';
import { SwitchRun, type SwitchVerdict } from './switch-run.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs', 'mutation-score.md');

async function main(): Promise<void> {
  const options = readMutantsOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return;
  }
  const mutants = chooseMutants(ROOT, options);
  if (options.list) {
    for (const { file, mutation } of mutants) console.log(`${file} ${mutation.id}`);
    return;
  }
  if (options.file === undefined && options.folders.length === 0) {
    for (const [folder, reason] of LEFT_OUT) console.log(`${folder} is left out: ${reason}`);
  }
  const { jobs, specs } = options;
  const choice = new SpecChoice(ROOT);
  const results = options.reached
    ? await checkReached(mutants, choice, choice.below(specs), jobs)
    : await new MutantRun({
        root: ROOT,
        choice,
        jobs,
        print: (line) => console.log(line),
      }).run(mutants);
  const scores = scoresOf(results, options);
  for (const score of scores) {
    const { folder, killed, survived, timedOut, equivalent } = score;
    const figures = `${killed} killed, ${survived} survived, ${timedOut} timed out, ${equivalent} equivalent`;
    console.log(`${folder}: ${figures}: ${percentKilled(score)}`);
  }
  const unchecked = results.filter(({ verdict }) => verdict === 'no run').length;
  if (unchecked > 0) {
    console.log(`${unchecked} mutants have no verdict: their specs fail with the unchanged code`);
    process.exitCode = 1;
  }
  if (!options.write) return;
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), scores));
}

/** By the tests that reach each mutant; one that lives on is planted alone once more, for what runs only when files are imported. */
async function checkReached(
  mutants: readonly Mutant[],
  choice: SpecChoice,
  specs: readonly string[],
  jobs: number,
): Promise<MutantResult[]> {
  const print = (line: string): void => console.log(line);
  const results: MutantResult[] = [];
  const unreached = new Set<Mutant>();
  const report = (mutant: Mutant, { killedBy, late, reaching }: SwitchVerdict): void => {
    if (reaching === 0) unreached.add(mutant);
    const verdict = killedBy === undefined ? 'survived' : late === true ? 'timed out' : 'killed';
    const result: MutantResult = { mutant, verdict, by: killedBy };
    if (verdict !== 'killed') return;
    results.push(result);
    reportResult(print, result, `${results.length}/${mutants.length}`);
  };
  await new SwitchRun({ root: ROOT, choice, specs, jobs, print, report }).run(mutants);
  const killed = new Set(results.map(({ mutant }) => mutant));
  const alive = mutants.filter((mutant) => !killed.has(mutant));
  const alone = await new MutantRun({ root: ROOT, choice, jobs, print }).run(alive);
  return [
    ...results,
    ...alone.map(
      (result): MutantResult =>
        result.verdict === 'survived' && unreached.has(result.mutant)
          ? { ...result, verdict: 'unreached' }
          : result,
    ),
  ];
}

await main();
