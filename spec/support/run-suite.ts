/**
 * `npm run spec`: all specs but the benches, in three processes side by side, since most specs wait for something. What the first one
 * prints is shown at once, what the others print follows it; the counts of all are the last lines, and after them each failure again.
 *
 * `-- --only TEXT`: only files with this text in their paths.
 * `-- --delays`: what lies between two processes takes longer, see `delays.ts`. It finds specs that depend on the speed of the machine.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtDelays, builtHosts } from './built-hosts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Each of the three parts takes about as long as the others. */
const OF_SERVER = /^(?:cache|compare|kubectl|rules|server)\//;
const OF_CLIENT = /^(?:client|controller|kernel|meta|recorder|simulator)\//;

interface Ended {
  readonly code: number;
  readonly output: string;
}

function specFiles(only: string): string[] {
  return readdirSync(join(ROOT, 'spec'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.spec.ts') && !path.startsWith('bench/'))
    .filter((path) => !path.includes('node_modules/') && path.includes(only))
    .toSorted();
}

/** Runs mocha, and node with these arguments; `live` prints while it runs. */
function runMocha(
  files: readonly string[],
  nodeArguments: readonly string[],
  live: boolean,
): Promise<Ended> {
  const mocha = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const paths = files.map((path) => `spec/${path}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArguments, mocha, '--no-color', ...paths], {
      cwd: ROOT,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (piece: Buffer): void => {
      output += piece.toString();
      if (live) process.stdout.write(piece);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** A count of mocha's closing lines. */
function countOf(parts: readonly Ended[], what: string): number {
  return parts.reduce((sum, { output }) => {
    const lines = [...output.matchAll(new RegExp(`^ +(\\d+) ${what}\\b`, 'gm'))];
    return sum + Number(lines.at(-1)?.[1] ?? 0);
  }, 0);
}

/** The part of mocha's output that tells of its failures: their titles, errors and stacks. */
function failuresOf({ output }: Ended): string {
  const at = output.search(/^ {2}\d+ failing$/m);
  return at < 0 ? '' : output.slice(output.indexOf('\n', at)).trimEnd();
}

const { only = '', delays = false } = parseArgs({
  options: { only: { type: 'string' }, delays: { type: 'boolean' } },
}).values;
const startedMs = performance.now();
const files = specFiles(only);
const parts = [
  files.filter((path) => OF_SERVER.test(path)),
  files.filter((path) => OF_CLIENT.test(path)),
  files.filter((path) => !OF_SERVER.test(path) && !OF_CLIENT.test(path)),
];
const HOSTS = join(ROOT, '.tmp', `hosts-${process.pid}`);
process.once('exit', () => rmSync(HOSTS, { recursive: true, force: true }));
/** Node takes the options from it in all processes that the specs start, too. */
const environment = delays
  ? {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${await builtDelays(HOSTS)}`,
    }
  : process.env;
// Some files alone are sooner ready from source.
const nodeArguments = only === '' ? ['--import', await builtHosts(HOSTS)] : [];
const running = parts
  .filter((part) => part.length > 0)
  .map((part, at) => runMocha(part, nodeArguments, at === 0));
const ended: Ended[] = [];
for (const [at, part] of running.entries()) {
  const end = await part;
  ended.push(end);
  if (at > 0) process.stdout.write(end.output);
}
const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
console.log(`\n  ${countOf(ended, 'passing')} passing (${minutes}m, all processes)`);
for (const what of ['pending', 'failing']) {
  const count = countOf(ended, what);
  if (count > 0) console.log(`  ${count} ${what}`);
}
for (const failures of ended.map(failuresOf)) if (failures !== '') console.log(failures);
if (ended.length === 0) console.error(`no spec file has ${only} in its path`);
process.exitCode = ended.length === 0 ? 1 : Math.max(...ended.map(({ code }) => code));
