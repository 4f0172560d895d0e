import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

/**
 * `npm run check -- bench-serve`: the built program as a process, run by run: from the end of Node's own start to the ready line, from there to
 * the answer of the first GET over TLS, and the resident memory of the empty server. Run `npm run build` before.
 */
const PROGRAM = resolve(import.meta.dirname, '../../dist/cli/listwatch.js');
const RUNS = 7;

interface Figures {
  readonly readyMs: number;
  readonly getMs: number;
  /** Of all threads, until the first GET was answered; on a busy machine it says more than the times. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** From the start of a process that does nothing to its end. */
async function nodeStartMs(): Promise<number> {
  const startMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startMs;
}

async function firstGet(kubeconfig: string): Promise<void> {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const [{ cluster }] = clusters;
  const ca = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64');
  const headers = { authorization: `Bearer ${users[0].user.token}` };
  const url = `${cluster['server']}/api/v1/namespaces/default`;
  await new Promise<void>((done, failed) => {
    const request = get(url, { ca, headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) done();
        else failed(new Error(`the first GET was answered with ${response.statusCode}`));
      });
    });
    request.on('error', failed);
  });
}

async function measure(home: string): Promise<Figures> {
  const baseMs = await nodeStartMs();
  const startMs = performance.now();
  const kubeconfig = join(home, 'kubeconfig');
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      'serve',
      '--port',
      '0',
      '--json',
      '--controllers',
      'none',
      '--kubeconfig',
      kubeconfig,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  try {
    await Promise.race([
      once(child.stdout, 'data'),
      ended.then(() => Promise.reject(new Error('the server ended before it was ready'))),
    ]);
    const readyAtMs = performance.now();
    await firstGet(kubeconfig);
    const getMs = performance.now() - readyAtMs;
    const pid = child.pid ?? 0;
    const readyMs = readyAtMs - startMs - baseMs;
    return { readyMs, getMs, cpuMs: processorMs(pid), rssMb: residentMb(pid) };
  } finally {
    child.kill('SIGTERM');
    await ended.catch(() => {});
  }
}

/** Linux only, in ticks of 10 ms; elsewhere not a number. */
function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** Linux only; elsewhere not a number. */
function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function median(values: readonly number[]): string {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(0);
}

if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: run "npm run build" first`);
const home = await mkdtemp(join(tmpdir(), 'listwatch-serve-'));
try {
  const runs: Figures[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(home));
  const line = (name: string, of: (one: Figures) => number, unit: string, limit: number): string =>
    `${name.padEnd(46)} ${median(runs.map(of)).padStart(6)} ${unit}  (limit ${limit})`;
  console.log(`node ${process.version}, median of ${RUNS} runs`);
  console.log(line("ready, after Node's own start", ({ readyMs }) => readyMs, 'ms', 150));
  console.log(line('first GET over TLS, after the ready line', ({ getMs }) => getMs, 'ms', 250));
  console.log(
    `${'processor time until then'.padEnd(46)} ${median(runs.map(({ cpuMs }) => cpuMs)).padStart(6)} ms`,
  );
  console.log(line('resident memory after it', ({ rssMb }) => rssMb, 'MB', 100));
} finally {
  await rm(home, { recursive: true, force: true });
}
