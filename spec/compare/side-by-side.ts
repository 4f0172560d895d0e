import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { canonical } from './normalise.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TITLE_WIDTH = 56;
const COLUMN_WIDTH = 60;

/** A case; one that is `alone` runs when all others have ended, and no other beside it. */
export interface ComparedCase {
  readonly title: string;
  readonly alone?: boolean;
}

/** Does a case on one server. */
export interface Answerer<C> {
  answer(one: C): Promise<unknown>;
}

/** Both servers, ready for cases. */
export interface ComparedServers<C> {
  readonly real: Answerer<C>;
  readonly ours: Answerer<C>;
}

export interface SideBySideOptions<C extends ComparedCase> {
  /** `npm run check -- COMMAND`. */
  readonly command: string;
  /** The server that the kubeconfig has to name, for the help. */
  readonly realServer: string;
  readonly cases: readonly C[];
  /** The answers of the real server by title, JSON. */
  readonly recordFile: string;
  /** @defaultValue 1 */
  readonly atATime?: number | undefined;
  /** Starts what is needed, calls `compare`, and ends it. `run` is different each time, for names. */
  readonly withServers: (
    given: { readonly kubeconfig: string; readonly run: string },
    compare: (servers: ComparedServers<C>) => Promise<void>,
  ) => Promise<void>;
}

/**
 * A command that does the same cases on a real server and on the embedded one, prints both columns, and records the answers of the real
 * one on request. The exit code is 1 when an answer differs.
 */
export async function sideBySide<C extends ComparedCase>(
  options: SideBySideOptions<C>,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      only: { type: 'string', default: '' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.kubeconfig === undefined) {
    console.log(usageOf(options));
    if (!values.help) process.exitCode = 2;
    return;
  }
  const { kubeconfig, only } = values;
  const run = Date.now().toString(36).slice(-5);
  await options.withServers({ kubeconfig, run }, async (servers) => {
    const answers = await compare(servers, options, only);
    if (values.record) await record(options, answers);
  });
}

/** The answers of the real server by title. */
async function compare<C extends ComparedCase>(
  { real, ours }: ComparedServers<C>,
  { cases, atATime = 1 }: SideBySideOptions<C>,
  only: string,
): Promise<ReadonlyMap<string, unknown>> {
  const chosen = cases.filter(({ title }) => title.includes(only));
  const answers = new Map<string, unknown>();
  let equal = 0;
  console.log(row('', 'the real one', 'listwatch', ''));
  const again: C[] = [];
  const work = async (waiting: Iterable<C>, isLast: boolean): Promise<void> => {
    for (const one of waiting) {
      const [theirs, own] = await Promise.all([real.answer(one), ours.answer(one)]);
      const [left, right] = [canonical(theirs), canonical(own)];
      answers.set(one.title, theirs);
      if (left === right) equal += 1;
      else if (!isLast) again.push(one);
      if (left === right || isLast) console.log(line(one.title, left, right));
    }
  };
  const together = chosen.filter(({ alone }) => alone !== true).values();
  await Promise.all(Array.from({ length: atATime }, () => work(together, atATime === 1)));
  await work(
    chosen.filter(({ alone }) => alone === true),
    atATime === 1,
  );
  // A state may have been looked at too early on a busy machine.
  await work(again, true);
  console.log(`${equal} of ${chosen.length} cases equal`);
  if (equal < chosen.length) process.exitCode = 1;
  return answers;
}

function usageOf<C extends ComparedCase>(options: SideBySideOptions<C>): string {
  const { command, realServer, recordFile } = options;
  return `npm run check -- ${command} --kubeconfig FILE [options]

  --kubeconfig FILE  ${realServer}; the current context. The user has to be allowed everything
  --only TEXT        only cases whose title has this text
  --record           writes the answers of the real server to ${relative(ROOT, recordFile)}
  --help             shows this

The exit code is 1 when an answer differs.`;
}

/** In the order of the cases, with the earlier answers of those that were left out; the file is formatted as all others are. */
async function record<C extends ComparedCase>(
  { cases, recordFile }: SideBySideOptions<C>,
  answers: ReadonlyMap<string, unknown>,
): Promise<void> {
  const earlier = JSON.parse(await readFile(recordFile, 'utf8')) as Record<string, unknown>;
  const all = cases.map(({ title }) => [title, answers.get(title) ?? earlier[title]]);
  await writeFile(recordFile, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
  await promisify(execFile)('npx', ['biome', 'format', '--write', recordFile]);
}

/** The columns show the beginning of the answers, or the place where they differ. */
function line(title: string, left: string, right: string): string {
  if (left === right) return row(title, cut(left, 0), cut(right, 0), '=');
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return row(title, cut(left, index), cut(right, index), 'DIFFERS');
}

function row(title: string, left: string, right: string, verdict: string): string {
  return `${title.padEnd(TITLE_WIDTH)} ${left.padEnd(COLUMN_WIDTH)} ${right.padEnd(COLUMN_WIDTH)} ${verdict}`;
}

function cut(text: string, from: number): string {
  const start = Math.max(0, from - COLUMN_WIDTH / 3);
  return text.slice(start, start + COLUMN_WIDTH);
}
