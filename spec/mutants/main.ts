import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chooseMutants, LEFT_OUT, type Mutant } from './mutant-choice.ts';
import { MutantRun, scoresOf } from './mutant-run.ts';
import { HELP, readMutantsOptions } from './mutants-options.ts';
import { pageWith, percentKilled } from './score-page.ts';
import { Reach } from './reach.ts';
import { ReachedChoice } from './reached-choice.ts';
import { SpecChoice } from './spec-choice.ts';

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
  if (options.file === undefined && options.rooms.length === 0) {
    for (const [room, reason] of LEFT_OUT) console.log(`${room} is left out: ${reason}`);
  }
  const { jobs } = options;
  const specs = new SpecChoice(ROOT);
  const choice = options.reached ? await reachedChoice(mutants, specs, jobs) : specs;
  const run = new MutantRun({ root: ROOT, choice, jobs, print: (line) => console.log(line) });
  const results = await run.run(mutants);
  const scores = scoresOf(results, options);
  for (const score of scores) {
    const { room, killed, survived, timedOut, equivalent } = score;
    const figures = `${killed} killed, ${survived} survived, ${timedOut} timed out, ${equivalent} equivalent`;
    console.log(`${room}: ${figures}: ${percentKilled(score)}`);
  }
  const unjudged = results.filter(({ verdict }) => verdict === 'no run').length;
  if (unjudged > 0) {
    console.log(`${unjudged} mutants have no verdict: their specs fail with the unchanged code`);
    process.exitCode = 1;
  }
  if (!options.write) return;
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : undefined;
  writeFileSync(PAGE, pageWith(page, scores));
}

/** Runs all specs once; those that fail with the unchanged code are named and judge nothing. */
async function reachedChoice(
  mutants: readonly Mutant[],
  specs: SpecChoice,
  jobs: number,
): Promise<ReachedChoice> {
  const reach = await Reach.measure(ROOT, mutants, specs.all(), jobs);
  for (const spec of reach.failing()) console.log(`${spec} fails with the unchanged code`);
  return new ReachedChoice(reach, specs);
}

await main();
