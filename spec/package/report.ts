/**
 * `npm run check -- package-report`: what a client-only install of the packed tarball costs, against another package. Installs into
 * `.tmp/package` from the registry; import times are processor time above that of Node alone, the median of several runs. They fail
 * nothing, as they depend on the machine: `package.spec.ts` limits the code that an import loads.
 * `-- --node22 PATH` adds version 2 of the other package, which needs Node 22.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './manifest.ts';
import { diskBytesOf, exitWithoutRegistry, filesBelow, npm, pack, run } from './packed-package.ts';

const SCRATCH = join(ROOT, '.tmp', 'package');
const PEER = '@kubernetes/client-node';
const PEER_VERSION = '1.4.0';
const PEER_VERSION_22 = '2.0.1';
const RUNS = 11;
/** The limits of an install. */
const MOST_PACKAGES = 33;
const MOST_MEGABYTES = 14;

interface Subject {
  /** As the tables name it. */
  readonly name: string;
  /** The imported entry. */
  readonly module: string;
  readonly folder: string;
  /** The Node that imports it. */
  readonly node: string;
}

interface Figures {
  readonly packages: number;
  readonly megabytes: number;
  readonly files: number;
  readonly importMs: number;
}

async function install(
  module: string,
  specifier: string,
  node: string = process.execPath,
): Promise<Subject> {
  const name = specifier.startsWith(module) ? specifier : module;
  const folder = join(SCRATCH, name.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await npm(['install', '--silent', '--no-audit', '--no-fund', specifier], folder);
  return { name, module, folder, node };
}

/** Processor time of a fresh process until a module is imported, milliseconds. */
async function processorMs(node: string, folder: string, statement: string): Promise<number> {
  const print = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);';
  const parameters = ['--input-type=module', '-e', `${statement}\n${print}`];
  return Number((await run(node, parameters, { cwd: folder })).stdout);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

async function importTimes(subjects: readonly Subject[]): Promise<number[]> {
  const bare = subjects.map((): number[] => []);
  const times = subjects.map((): number[] => []);
  // In turns, so that a busy moment of the machine meets all of them.
  for (let turn = 0; turn < RUNS; turn += 1) {
    for (const [index, { module, folder, node }] of subjects.entries()) {
      bare[index]?.push(await processorMs(node, SCRATCH, ''));
      times[index]?.push(await processorMs(node, folder, `await import('${module}');`));
    }
  }
  return times.map((one, index) => median(one) - median(bare[index] ?? []));
}

function figuresOf({ folder }: Subject, importMs: number): Figures {
  const modules = join(folder, 'node_modules');
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const files = filesBelow(modules).filter((name) => !name.startsWith('.'));
  return {
    packages: Object.keys(lock.packages).length,
    megabytes: diskBytesOf(modules, files) / 2 ** 20,
    files: files.length,
    importMs,
  };
}

function row(name: string, { packages, megabytes, files, importMs }: Figures): string {
  return `| ${name} | ${packages} | ${megabytes.toFixed(1)} | ${files} | ${(importMs / 1000).toFixed(3)} |`;
}

rmSync(SCRATCH, { recursive: true, force: true });
await exitWithoutRegistry('package-report');
const { node22 } = parseArgs({ options: { node22: { type: 'string' } } }).values;
const subjects = [
  await install('listwatch', await pack(SCRATCH)),
  await install(PEER, `${PEER}@${PEER_VERSION}`),
];
if (node22 !== undefined) subjects.push(await install(PEER, `${PEER}@${PEER_VERSION_22}`, node22));
const times = await importTimes(subjects);
const figures = subjects.map((subject, index) => figuresOf(subject, times[index] ?? NaN));
console.log(`| Node ${process.version} | packages | MB | files | import, s of processor time |`);
console.log('|---|--:|--:|--:|--:|');
for (const [index, { name }] of subjects.entries()) {
  const one = figures[index];
  if (one !== undefined) console.log(row(name.replace(/^(.+)@(.+)$/, '`$1` $2'), one));
}
const [ours] = figures;
if (ours === undefined) throw new Error('nothing was installed');
const over = [
  ...(ours.packages > MOST_PACKAGES ? [`more than ${MOST_PACKAGES} packages`] : []),
  ...(ours.megabytes > MOST_MEGABYTES ? [`more than ${MOST_MEGABYTES} MB`] : []),
];
if (over.length > 0) {
  console.error(`listwatch takes ${over.join(', ')}`);
  process.exitCode = 1;
}
