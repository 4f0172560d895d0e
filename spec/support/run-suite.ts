/**
 * `npm run spec`: all specs but the benches, in worker processes that take the next file when they have finished one. mocha prints a file
 * when all of it has run; the counts and the failures of all files come last.
 *
 * `-- --only TEXT`: only files with this text in their paths, from source.
 * `-- --delays`: what lies between two processes takes longer, see `delays.ts`. It finds specs that depend on the speed of the machine.
 * `-- --workers N`: in place of one more than the machine has processors, since some specs wait for something.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packCopy } from '../package/packed-package.ts';
import { builtDelays, builtHosts } from './built-hosts.ts';
import { builtPrograms } from './plain-programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
/** Each worker loads most of `lib`. */
const MOST_WORKERS = 8;

/** Files that take long begin first, so that none of them runs alone at the end. */
const LONG: readonly string[] = [
  'corpus.spec.ts',
  'kubectl-commands.spec.ts',
  'simulate-command.spec.ts',
  'scenarios.spec.ts',
  'rules.spec.ts',
  'kubectl.spec.ts',
  'credential-matrix.spec.ts',
  'serve-process.spec.ts',
  'docs.spec.ts',
  'declarations.spec.ts',
  'package.spec.ts',
];

function specFiles(only: string): string[] {
  const rank = (path: string): number => {
    const at = LONG.indexOf(basename(path));
    return at < 0 ? LONG.length : at;
  };
  return readdirSync(join(ROOT, 'spec'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.spec.ts') && !path.startsWith('bench/'))
    .filter((path) => !path.includes('node_modules/') && path.includes(only))
    .toSorted((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

const {
  only = '',
  delays = false,
  ...given
} = parseArgs({
  options: {
    only: { type: 'string' },
    delays: { type: 'boolean' },
    workers: { type: 'string' },
  },
}).values;
const workers = given.workers ?? `${Math.min(availableParallelism() + 1, MOST_WORKERS)}`;
const files = specFiles(only);
if (files.length === 0) throw new Error(`no spec file has ${only} in its path`);

const BUILT = join(ROOT, '.tmp', `suite-${process.pid}`);
process.once('exit', () => rmSync(BUILT, { recursive: true, force: true }));
const environment = { ...process.env };
const nodeArguments: string[] = [];
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
const parallel = files.length === 1 ? [] : ['--parallel', '--jobs', workers];
const child = spawn(
  process.execPath,
  [...nodeArguments, MOCHA, ...parallel, ...files.map((path) => `spec/${path}`)],
  { cwd: ROOT, env: environment, stdio: 'inherit' },
);
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code === 0 ? 0 : 1;
