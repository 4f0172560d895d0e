/** `npm run check -- applies`: random sequences of applies by several managers on a real server and on the embedded one. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { inTurn } from '../compare/in-turn.ts';
import { differences } from '../compare/aspects.ts';
import { canonical, isRecord } from '../compare/normalise.ts';
import type { Answer } from '../compare/scenario.ts';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { drawSequence, type Sequence } from './draw-sequence.ts';
import { digestOf, firstDifference } from './sequence-difference.ts';
import { RECORD_FILE, type Recorded } from './recorded-answers.ts';
import { prepare, runSequence, tidy, type Ground } from './run-sequence.ts';
import { onlySteps, shrink } from './shrink-sequence.ts';

const USAGE = `npm run check -- applies --kubeconfig FILE [options]

  --kubeconfig FILE  the real server: the current context. The user has to be allowed everything
  --sequences N      1000 unless given
  --seed S           the same seed draws the same sequences. 1 unless given
  --from N           number of the first sequence; 0 unless given
  --kind KIND        only sequences of this kind, such as Service
  --steps A,B        only these steps of each sequence, as a failure names them
  --most N           failing sequences to shrink and print; 10 unless given
  --record           writes the answers of the real server to spec/applies/recorded.json
  --help             shows this

One run at a time: each makes a definition of the same name.`;

/** Sequences at a time: each has an object of its own. */
const AT_A_TIME = 12;
const BATCH = 240;

interface Servers {
  readonly real: Ground;
  readonly ours: Ground;
}

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      sequences: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      kind: { type: 'string' },
      steps: { type: 'string' },
      most: { type: 'string', default: '10' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.kubeconfig === undefined) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const { seed, from, sequences, kind, steps, most, record } = values;
  const wanted = steps?.split(',').map(Number);
  const all = Array.from({ length: Number(sequences) }, (_, index) => {
    const drawn = drawSequence(seed, Number(from) + index);
    return wanted === undefined ? drawn : onlySteps(drawn, wanted);
  }).filter(({ kind: { title } }) => kind === undefined || title.endsWith(` ${kind}`));
  await using server = new ApiServer();
  await server.listen();
  const { url, token } = server;
  const namespace = `applies-${Date.now().toString(36).slice(-5)}`;
  const real = { target: new Target(await targetOfKubeconfig(values.kubeconfig)), namespace };
  const ours = { target: new Target({ server: url, token }), namespace };
  try {
    await Promise.all([prepare(real), prepare(ours)]);
    const compared = await compareAll({ real, ours }, all, { seed, most: Number(most) });
    if (record) await writeRecord(seed, all, compared);
  } finally {
    await tidy(real);
    real.target.close();
    ours.target.close();
  }
}

interface Compared {
  /** Of the real server. */
  readonly answers: readonly (readonly Answer[])[];
  readonly failed: readonly Sequence[];
}

/** Prints how many sequences are the same, and the first that are not. */
async function compareAll(
  servers: Servers,
  all: readonly Sequence[],
  { seed, most }: { readonly seed: string; readonly most: number },
): Promise<Compared> {
  const kept: (readonly Answer[])[] = [];
  const failed: Sequence[] = [];
  for (let start = 0; start < all.length; start += BATCH) {
    const batch = all.slice(start, start + BATCH);
    const [theirs, own] = await Promise.all(
      [servers.real, servers.ours].map((ground) =>
        inTurn(batch, AT_A_TIME, (sequence) => runSequence(ground, sequence)),
      ),
    );
    for (const [index, sequence] of batch.entries()) {
      const answers = theirs?.[index] ?? [];
      kept.push(answers);
      if (firstDifference(answers, own?.[index] ?? []) >= 0) failed.push(sequence);
    }
    console.error(`${start + batch.length} of ${all.length}, ${failed.length} differ`);
  }
  const requests = kept.reduce((sum, answers) => sum + answers.length, 0);
  for (const sequence of failed.slice(0, most)) await explain(servers, sequence, seed);
  console.log(byKind(all, failed).join('\n'));
  console.log(
    `${all.length - failed.length} of ${all.length} sequences are the same (${requests} requests)`,
  );
  if (failed.length > 0) process.exitCode = 1;
  return { answers: kept, failed };
}

function byKind(all: readonly Sequence[], failed: readonly Sequence[]): string[] {
  const titles = new Set(all.map(({ kind }) => kind.title));
  return [...titles].map((title) => {
    const count = (list: readonly Sequence[]): number =>
      list.filter(({ kind }) => kind.title === title).length;
    return `  ${title}: ${count(failed)} of ${count(all)} differ`;
  });
}

/** Shrinks a sequence that differs, and prints its steps, the difference, and the command that repeats it. */
async function explain(servers: Servers, sequence: Sequence, seed: string): Promise<void> {
  const run = async (one: Sequence): Promise<[readonly Answer[], readonly Answer[]]> => [
    await runSequence(servers.real, one),
    await runSequence(servers.ours, one),
  ];
  const fails = async (one: Sequence): Promise<boolean> =>
    firstDifference(...(await run(one))) >= 0;
  const everyStep = [...sequence.steps.keys()];
  const needed = await shrink(sequence, everyStep, fails);
  const small = onlySteps(sequence, needed);
  const [theirs, own] = await run(small);
  const at = firstDifference(theirs, own);
  const place = `--seed ${seed} --from ${sequence.index} --sequences 1 --steps ${needed.join(',')}`;
  console.log(`\n${sequence.kind.title}: npm run check -- applies --kubeconfig FILE ${place}`);
  for (const [index, { method, path, headers, body }] of small.steps.slice(0, at + 1).entries()) {
    const type = headers?.['content-type']?.replace('application/', '') ?? '';
    console.log(
      `  ${theirs[index]?.status} ${method} ${path} ${type}\n    ${JSON.stringify(body)}`,
    );
  }
  console.log(`  differs (real | embedded): ${theirs[at]?.status} | ${own[at]?.status}`);
  for (const line of differences(theirs[at]?.body, own[at]?.body, 8)) console.log(`    ${line}`);
  printFields(theirs[at]?.body, own[at]?.body);
}

/** Both lists of managed fields, which differences cut, where they differ in length. */
function printFields(real: unknown, ours: unknown): void {
  const [one, other] = [real, ours].map((body) => {
    const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
    const fields = metadata['managedFields'];
    return Array.isArray(fields) ? fields.map(canonical).toSorted() : [];
  });
  if (one === undefined || other === undefined) return;
  for (const line of one.filter((entry) => !other.includes(entry))) console.log(`    real ${line}`);
  for (const line of other.filter((entry) => !one.includes(entry))) console.log(`    ours ${line}`);
}

async function writeRecord(
  seed: string,
  all: readonly Sequence[],
  { answers, failed }: Compared,
): Promise<void> {
  const recorded: Recorded = {
    seed,
    differ: failed.map(({ index }) => index),
    sequences: Object.fromEntries(
      all.map(({ index }, at) => [index, (answers[at] ?? []).map(digestOf).join(', ')]),
    ),
  };
  await writeFile(RECORD_FILE, `${JSON.stringify(recorded, undefined, 1)}\n`);
}
