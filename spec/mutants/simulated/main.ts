/**
 * `npm run mutants:simulated -- [--count N] [--candidates N] [--seed TEXT] [--rooms A,B]`: plants mutants in this package, and has
 * simulations of right controllers look for them: through a user's eyes, without a spec of this package. Of the candidates of each room,
 * mutants that the simulations never come by are left out.
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseMutants, sample, type Mutant } from '../mutant-choice.ts';
import { readMutantsOptions } from '../mutants-options.ts';
import { diffOf } from '../mutation.ts';
import { switched } from '../switches.ts';
import { TreeCopy } from '../tree-copy.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** A mutant with which a simulation does not come to an end is noticed too. */
const LONGEST_MS = 240_000;

interface Answer {
  readonly reached: readonly number[];
  readonly found: string | undefined;
}

/** Undefined: it has not ended. */
async function judge(folder: string, what: string): Promise<Answer | undefined> {
  const child = fork(join(folder, 'spec/mutants/simulated/judge.ts'), [what], {
    cwd: folder,
    execArgv: ['--conditions=@listwatch/source', '--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    errors = (errors + String(bytes)).slice(-2000);
  });
  return await new Promise((done) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
    }, LONGEST_MS);
    let answer: Answer | undefined;
    child.on('message', (message) => {
      answer = message as Answer;
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      const reason = `the process ended with ${code ?? signal}: ${errors.trim().split('\n')[0]}`;
      done(answer ?? (signal === 'SIGKILL' ? undefined : { reached: [], found: reason }));
    });
  });
}

function plant(folder: string, mutants: readonly Mutant[]): void {
  const numbered = mutants.map((mutant, number) => ({ ...mutant, number }));
  for (const file of new Set(mutants.map((one) => one.file))) {
    const ofFile = numbered.filter((one) => one.file === file);
    const path = join(folder, file);
    writeFileSync(path, switched(readFileSync(path, 'utf8'), ofFile));
  }
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5' },
    candidates: { type: 'string', default: '80' },
    seed: { type: 'string', default: 'u1' },
    rooms: {
      type: 'string',
      default: 'cache,controller/workqueue,controller/election,server',
    },
  },
});
const rooms = values.rooms.split(',');
const candidates = rooms.flatMap((room) =>
  chooseMutants(
    ROOT,
    readMutantsOptions([
      '--room',
      room,
      '--whole',
      '--count',
      values.candidates,
      '--seed',
      values.seed,
    ]),
  ),
);
using copy = new TreeCopy(ROOT);
plant(copy.folder, candidates);
const base = await judge(copy.folder, 'reach');
if (base === undefined || base.found !== undefined) {
  throw new Error(`without a mutant: ${base?.found ?? 'the simulations do not end'}`);
}
const reached = new Set(base.reached);
let noticed = 0;
let judged = 0;
for (const room of rooms) {
  const ofRoom = candidates.filter(
    (one, number) => reached.has(number) && one.file.startsWith(`lib/${room}/`),
  );
  for (const mutant of sample(ofRoom, Number(values.count), values.seed)) {
    const answer = await judge(copy.folder, String(candidates.indexOf(mutant)));
    judged += 1;
    const text = answer === undefined ? 'the simulation does not end' : answer.found;
    if (text !== undefined) noticed += 1;
    console.log(`${mutant.file} ${mutant.mutation.id}: ${text?.slice(0, 300) ?? 'NOT FOUND'}`);
    if (text === undefined) console.log(diffOf(mutant.text, mutant.mutation).join('\n'));
  }
}
console.log(`${noticed} of ${judged} mutants were found by simulations alone`);
