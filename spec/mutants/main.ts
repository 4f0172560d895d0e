import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chooseMutants, LEFT_OUT } from './mutant-choice.ts';
import { MutantRun, scoresOf } from './mutant-run.ts';
import { HELP, readMutantsOptions } from './mutants-options.ts';
import { pageWith, percentKilled } from './score-page.ts';
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
  const choice = new SpecChoice(ROOT);
  const run = new MutantRun({ root: ROOT, choice, jobs, print: (line) => console.log(line) });
  const results = await run.run(mutants);
  const scores = scoresOf(results, options);
  for (const score of scores) {
    const { room, killed, survived, timedOut } = score;
    const figures = `${killed} killed, ${survived} survived, ${timedOut} timed out`;
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

await main();
