/** `npm run verbs`: every verb, subresource and helper of the client on a real server and on the embedded one, side by side. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { ApiServer } from '../../../lib/server/index.ts';
import { canonical } from '../../compare/normalise.ts';
import { RECORD_FILE } from './recorded-answers.ts';
import { CaseRunner, VERB_CASES } from './run-cases.ts';

const USAGE = `npm run verbs -- --kubeconfig FILE [options]

  --kubeconfig FILE  the real server: the current context. The user has to be allowed everything
  --only TEXT        only cases whose title has this text
  --record           writes the answers of the real server to spec/client/verbs/recorded.json
  --help             shows this

The exit code is 1 when an answer differs.`;

const TITLE_WIDTH = 48;
const COLUMN_WIDTH = 60;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      only: { type: 'string', default: '' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.kubeconfig === undefined) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const namespace = `verbs-${Date.now().toString(36).slice(-5)}`;
  await using server = new ApiServer();
  await server.listen();
  await using ours = await CaseRunner.start(server.clientConfig(), namespace);
  await using real = await CaseRunner.start({ kubeconfig: values.kubeconfig }, namespace);
  const recorded: Record<string, unknown> = {};
  let equal = 0;
  const cases = VERB_CASES.filter(({ title }) => title.includes(values.only));
  console.log(row('', 'kube-apiserver', 'listwatch', ''));
  for (const one of cases) {
    const [theirs, own] = [await real.answer(one), await ours.answer(one)];
    const [left, right] = [canonical(theirs), canonical(own)];
    recorded[one.title] = theirs;
    if (left === right) equal += 1;
    const from = left === right ? 0 : firstDifference(left, right);
    console.log(
      row(one.title, cut(left, from), cut(right, from), left === right ? '=' : 'DIFFERS'),
    );
  }
  console.log(`${equal} of ${cases.length} cases equal`);
  if (equal < cases.length) process.exitCode = 1;
  if (values.record) await record(recorded);
}

/** The file is formatted as all others are. */
async function record(answers: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(RECORD_FILE, `${JSON.stringify(answers, undefined, 2)}\n`);
  await promisify(execFile)('npx', ['biome', 'format', '--write', RECORD_FILE]);
}

function row(title: string, left: string, right: string, verdict: string): string {
  return `${title.padEnd(TITLE_WIDTH)} ${left.padEnd(COLUMN_WIDTH)} ${right.padEnd(COLUMN_WIDTH)} ${verdict}`;
}

/** The column shows the beginning of an answer, or the place where it differs. */
function cut(text: string, from: number): string {
  const start = Math.max(0, from - COLUMN_WIDTH / 3);
  return text.slice(start, start + COLUMN_WIDTH);
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return index;
}
