/**
 * `npm run check -- bench-creates --kubeconfig FILE`: creates, creates that 100 watches see, and lists through `listwatch serve` in memory
 * and through the kube-apiserver of the kubeconfig: over TLS, in turns, by curl, which has to be on the PATH. With `--plain` the first one speaks
 * plain HTTP; with `--etcd URL` it keeps its objects in that etcd. What it makes it deletes, also when it is interrupted, and at its
 * start what a run that was killed has left. Run `npm run build` before. Whether the etcd of the other server
 * flushes each write to its disk decides much, and is not visible from here: say it beside the figures.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { CurlClient } from './curl-client.ts';
import { BesideContestant, PROGRAM, ServedProgram } from './beside-contestant.ts';

const ROUNDS = 5;

interface Row {
  readonly what: string;
  /** A second. */
  readonly rate: (contestant: BesideContestant) => Promise<number>;
}

const ROWS: readonly Row[] = [
  creates('ConfigMap of 1 KB', 'maps', 1, 500),
  creates('ConfigMap of 1 KB', 'maps', 20, 2000),
  creates('Pod of 4 KB', 'pods', 1, 300),
  creates('Pod of 4 KB', 'pods', 20, 1000),
  {
    what: 'ConfigMap, 20 in flight, 100 watches',
    rate: (one) => one.watchedCreates(20, 500),
  },
  { what: 'list of 5,000 ConfigMaps', rate: (one) => one.lists(20) },
];

function creates(what: string, kind: 'maps' | 'pods', writers: number, count: number): Row {
  return {
    what: `${what}, ${writers} in flight`,
    rate: (one) => one.creates(kind, writers, count),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

async function compare(contestants: readonly BesideContestant[]): Promise<void> {
  for (const one of contestants) await one.begin();
  console.log(`node ${process.version}, a second, median of ${ROUNDS} rounds (least, most)`);
  for (const { what, rate } of ROWS) {
    const rates = contestants.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, one] of contestants.entries()) rates[at]?.push(await rate(one));
    }
    const texts = contestants.map(({ name }, at) => {
      const of = rates[at] ?? [];
      return `${name} ${shown(median(of))} (${shown(Math.min(...of))}, ${shown(Math.max(...of))})`;
    });
    const ratio = median(rates[0] ?? []) / median(rates[1] ?? []);
    console.log(`${what.padEnd(38)} ${texts.join('   ')}   ${ratio.toFixed(2)}x`);
  }
}

function shown(rate: number): string {
  return rate < 100 ? rate.toFixed(1) : rate.toFixed(0);
}

let opened: readonly BesideContestant[] = [];
let signaled: NodeJS.Signals | undefined;

/** The first signal ends the comparison, and what was made is deleted; the second ends the process. */
function interrupt(signal: NodeJS.Signals): void {
  if (signaled !== undefined || opened.length === 0) process.exit(exitCodeOf(signal));
  signaled = signal;
  process.stderr.write(`${signal}: deleting what was made; once more to leave it there\n`);
  for (const one of opened) one.stop();
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}

async function compareAndDelete(): Promise<void> {
  try {
    await compare(opened);
  } catch (error) {
    if (signaled === undefined) throw error;
    process.exitCode = exitCodeOf(signaled);
  } finally {
    await Promise.all(opened.map((one) => one.end()));
  }
}

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    plain: { type: 'boolean' },
    etcd: { type: 'string' },
  },
});
if (values.kubeconfig === undefined) throw new Error('--kubeconfig names a kube-apiserver');
if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: run "npm run build" first`);
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
await using served = await ServedProgram.start({ etcd: values.etcd });
const ours = await targetOfKubeconfig(served.kubeconfig);
// The address takes both.
const server = values.plain === true ? ours.server.replace('https:', 'http:') : ours.server;
const targets = [{ ...ours, server }, await targetOfKubeconfig(values.kubeconfig)];
const contestants = ['listwatch serve', 'kube-apiserver'].map(async (name, at) => {
  const options = targets[at];
  if (options === undefined) throw new Error('there are two servers');
  return new BesideContestant(name, new Target(options), await CurlClient.open(options));
});
opened = await Promise.all(contestants);
await compareAndDelete();
