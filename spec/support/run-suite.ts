/**
 * `npm run spec`: all specs but the benches, in worker processes that take the next file when they have finished one. mocha prints a file
 * when all of it has run; the counts and the failures of all files come last.
 *
 * `-- --checks`, as `npm test`: types, lint and format beside the specs, some of which only wait. A check that fails is printed at once,
 * and again at the end.
 * `-- --only TEXT`: only files with this text in their paths, from source.
 * `-- --delays`: what lies between two processes takes longer, see `delays.ts`. It finds specs that depend on the speed of the machine.
 * `-- --times`: lists the files that take the most processor time.
 * `-- --workers N`: in place of one more than the machine has processors, since some specs wait for something.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packCopy } from '../package/packed-package.ts';
import { builtDelays, builtHosts } from './built-hosts.ts';
import { TIMES_VARIABLE, type FileTimes } from './file-times.ts';
import { builtPrograms } from './plain-programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
/** Each worker loads most of `lib`. */
const MOST_WORKERS = 8;

/** Files that take long begin first, so that none of them runs alone at the end. */
const LONG: readonly string[] = [
  'etcd-storage-conformance.spec.ts',
  'simulate-module.spec.ts',
  'examples.spec.ts',
  'search.spec.ts',
  'corpus.spec.ts',
  'kubectl-commands.spec.ts',
  'simulate-command.spec.ts',
  'scenarios.spec.ts',
  'rules.spec.ts',
  'kubectl.spec.ts',
  'credential-matrix.spec.ts',
  'serve-process.spec.ts',
  'docs.spec.ts',
  'soak.spec.ts',
  'serve-command.spec.ts',
  'rbac-command.spec.ts',
];
/** They wait for the package, which is built beside the others. */
const OF_PACKAGE: readonly string[] = ['declarations.spec.ts', 'package.spec.ts'];

function specFiles(only: string): string[] {
  const rank = (path: string): number => {
    const at = LONG.indexOf(basename(path));
    return at < 0 ? LONG.length : at;
  };
  const all = readdirSync(join(ROOT, 'spec'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.spec.ts') && !path.startsWith('bench/'))
    .filter((path) => !path.includes('node_modules/') && path.includes(only))
    .toSorted((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  const others = all.filter((path) => !OF_PACKAGE.includes(basename(path)));
  const later = all.filter((path) => OF_PACKAGE.includes(basename(path)));
  return others.toSpliced(Math.floor(others.length / 3), 0, ...later);
}

const CHECKS: readonly (readonly string[])[] = [
  ['npm', 'run', '-s', 'typecheck'],
  ['npm', 'run', '-s', 'lint'],
  ['npx', 'biome', 'format'],
];

/** Runs the checks one after the other. Returns what those that failed have printed. */
async function failedChecks(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [program = '', ...parameters] of CHECKS) {
    const started = spawn(program, parameters, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (piece: Buffer): void => {
      output += piece.toString();
    };
    started.stdout.on('data', take);
    started.stderr.on('data', take);
    const [code] = (await once(started, 'close')) as [number | null];
    if (code === 0) continue;
    failed.push(`failed: ${[program, ...parameters].join(' ')}\n${output}`);
    console.log(failed.at(-1));
  }
  return failed;
}

const LISTED = 50;

function printTimes(path: string): void {
  const all = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as FileTimes)
    .toSorted((left, right) => processorOf(right) - processorOf(left));
  const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8);
  console.log(' elapsed processor children s');
  for (const { file, elapsed, processor, processorOfChildren } of all.slice(0, LISTED)) {
    console.log(
      `${seconds(elapsed)}  ${seconds(processor)} ${seconds(processorOfChildren)} ${file}`,
    );
  }
  const sum = all.reduce((total, one) => total + processorOf(one), 0);
  console.log(`${all.length} files, ${seconds(sum).trim()} s of processor time`);
}

function processorOf({ processor, processorOfChildren }: FileTimes): number {
  return processor + processorOfChildren;
}

const {
  only = '',
  delays = false,
  times = false,
  checks = false,
  ...given
} = parseArgs({
  options: {
    checks: { type: 'boolean' },
    only: { type: 'string' },
    delays: { type: 'boolean' },
    times: { type: 'boolean' },
    workers: { type: 'string' },
  },
}).values;
const workers = given.workers ?? `${Math.min(availableParallelism() + 1, MOST_WORKERS)}`;
const files = specFiles(only);
if (files.length === 0) throw new Error(`no spec file has ${only} in its path`);

const BUILT = join(ROOT, '.tmp', `suite-${process.pid}`);
process.once('exit', () => rmSync(BUILT, { recursive: true, force: true }));
const checking = checks ? failedChecks() : [];
const environment = { ...process.env };
/** Specs make much garbage that is soon dead: a large young generation keeps it cheap. */
const nodeArguments = ['--max-semi-space-size=64'];
// Some files alone are sooner ready from source.
if (only === '') {
  const [hosts, programs] = await Promise.all([
    builtHosts(join(BUILT, 'hosts')),
    builtPrograms(join(BUILT, 'programs')),
  ]);
  nodeArguments.push('--import', hosts);
  Object.assign(environment, programs, packCopy(join(BUILT, 'packed')));
}
if (delays) {
  // Node takes the options from it in all processes that the specs start, too.
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --require "${await builtDelays(BUILT)}"`;
  environment['NODE_OPTIONS'] = options;
}
const timesFile = join(BUILT, 'times.jsonl');
if (times) {
  mkdirSync(BUILT, { recursive: true });
  environment[TIMES_VARIABLE] = timesFile;
}
const ofTimes = times ? ['--require', 'tsx', '--require', './spec/support/file-times.ts'] : [];
const parallel = files.length === 1 ? [] : ['--parallel', '--jobs', workers];
const child = spawn(
  process.execPath,
  [...nodeArguments, MOCHA, ...ofTimes, ...parallel, ...files.map((path) => `spec/${path}`)],
  { cwd: ROOT, env: environment, stdio: 'inherit' },
);
const [[code], failed] = await Promise.all([
  once(child, 'exit') as Promise<[number | null]>,
  checking,
]);
if (times && existsSync(timesFile)) printTimes(timesFile);
for (const text of failed) console.log(text);
process.exitCode = code === 0 && failed.length === 0 ? 0 : 1;
