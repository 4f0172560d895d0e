/**
 * `npm run check -- mutants-simulated [--count N] [--candidates N] [--seed TEXT] [--folders A,B] [--jobs N] [--only TEXT]`: plants mutants in this
 * package, and has simulations of right controllers look for them: through a user's eyes, without a spec of this package. Of the candidates of
 * each folder, mutants that the simulations never come by are left out. `--only`: of the sample, those with this text in their path and id.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseMutants, steadySample, type Mutant } from '../mutant-choice.ts';
import { readMutantsOptions } from '../mutants-options.ts';
import { diffOf } from '../mutation.ts';
import { switched } from '../switches.ts';
import { TreeCopy } from '../tree-copy.ts';
import type { Found, Reached } from './answers.ts';
import { asked } from './check-process.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Numbered {
  readonly mutant: Mutant;
  /** Of its switch. */
  readonly number: number;
}

/** Writes the files of all candidates, with the switches of these: each one takes time where it is come by. */
function plant(folder: string, all: readonly Numbered[], planted: readonly Numbered[]): void {
  for (const { file, text } of all.map(({ mutant }) => mutant)) {
    const ofFile = planted
      .filter(({ mutant }) => mutant.file === file)
      .map(({ mutant: { mutation }, number }) => ({ mutation, number }));
    writeFileSync(join(folder, file), switched(text, ofFile));
  }
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5' },
    candidates: { type: 'string', default: '80' },
    seed: { type: 'string', default: 'u1' },
    folders: {
      type: 'string',
      default: 'cache,controller/workqueue,controller/election,server',
    },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const folders = values.folders.split(',');
const options = ['--whole', '--count', values.candidates, '--seed', values.seed];
const candidates: readonly Numbered[] = folders
  .flatMap((folder) => chooseMutants(ROOT, readMutantsOptions(['--folder', folder, ...options])))
  .map((mutant, number) => ({ mutant, number }));
using copy = new TreeCopy(ROOT);
plant(copy.folder, candidates, candidates);
const base = await asked<Reached>(copy.folder, ['reach']);
if (typeof base !== 'object' || base.alarm !== undefined) {
  throw new Error(`without a mutant: ${typeof base === 'object' ? base.alarm : base}`);
}
/** The names of the simulations that come by each candidate. */
const reaching = candidates.map(({ number }) =>
  Object.entries(base.bySimulation)
    .filter(([, numbers]) => numbers.includes(number))
    .map(([name]) => name),
);
const byFolder = folders.map((folder) => {
  const ofFolder = candidates.filter(({ mutant }) => mutant.file.startsWith(`lib/${folder}/`));
  const reached = ofFolder.filter(({ number }) => (reaching[number] ?? []).length > 0);
  console.log(`${folder}: simulations come by ${reached.length} of ${ofFolder.length} candidates`);
  const drawn = new Set(
    steadySample(
      reached.map(({ mutant }) => mutant),
      Number(values.count),
      values.seed,
    ),
  );
  return reached.filter(
    ({ mutant }) =>
      drawn.has(mutant) && `${mutant.file} ${mutant.mutation.id}`.includes(values.only),
  );
});
// One of each folder after the other: a run that is ended early has checked some of all.
const longest = Math.max(...byFolder.map(({ length }) => length));
const chosen = Array.from({ length: longest }, (_, at) =>
  byFolder.flatMap((ofFolder) => ofFolder[at] ?? []),
).flat();
plant(copy.folder, candidates, chosen);
let noticed = 0;
const waiting = [...chosen];
const work = async (): Promise<void> => {
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const { mutant, number } = one;
    const names = reaching[number] ?? [];
    const answer = await asked<Found>(copy.folder, [String(number), ...names]);
    const isFound = typeof answer !== 'object' || answer.finding !== undefined;
    if (isFound) noticed += 1;
    const { mutation, file, text } = mutant;
    console.log(`${file} ${mutation.id}: ${textOf(answer).slice(0, 400)}`);
    for (const line of diffOf(text, mutation)) console.log(line);
    if (!isFound) console.log(`    ${names.join(', ')}`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(`${noticed} of ${chosen.length} mutants were found by simulations alone`);

function textOf(answer: Found | string): string {
  if (typeof answer === 'string') return answer;
  return answer.finding === undefined ? 'NOT FOUND' : `${answer.by}: ${answer.finding}`;
}
