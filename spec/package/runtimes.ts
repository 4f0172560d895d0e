/**
 * `npm run check -- package-runtimes [--all-traces]`: the first program of README, from the packed tarball, on each runtime that npm has a
 * package of, and `listwatch --help`; on Node also `listwatch doctor`, and the traces of simulated controllers, which have to be the same
 * on each version: those of a few, or of all. On Node the program runs as a plain `.mjs`. Prints a line and the time for each, and exits
 * with 1 when one printed something else.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { ROOT } from './manifest.ts';
import { NodeTraces } from './node-traces.ts';
import { exitWithoutRegistry, npm, pack, run } from './packed-package.ts';

const SCRATCH = join(ROOT, '.tmp', 'runtimes');

interface Runtime {
  readonly name: string;
  /** The package of npm, with its version. */
  readonly specifier: string;
  /** The program below `node_modules`, and what stands before the file. */
  readonly command: readonly string[];
}

/** Pinned, so that a run gives the same result tomorrow. The packages of Node carry binaries for the platform by an install script. */
const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 20', specifier: 'node@20.19.5', command: ['node/bin/node'] },
  { name: 'Node 22', specifier: 'node@22.23.3', command: ['node/bin/node'] },
  { name: 'Node 24', specifier: 'node@24.21.0', command: ['node/bin/node'] },
  { name: 'Node 26', specifier: 'node@26.10.0', command: ['node/bin/node'] },
  { name: 'Bun', specifier: 'bun@1.4.5', command: ['bun/bin/bun.exe', 'run'] },
  { name: 'Deno', specifier: 'deno@2.9.6', command: ['.bin/deno', 'run', '--allow-all'] },
];

/** Where npm puts the program of the package. */
const PROGRAM = join(SCRATCH, 'node_modules', 'listwatch', 'dist', 'cli', 'listwatch.js');

/** The files that README says to save, and what the first of them that prints something prints. */
function readmeExample(): {
  readonly files: ReadonlyMap<string, string>;
  readonly program: string;
  readonly output: string;
} {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const named = [...text.matchAll(/```js (\S+)\n([\s\S]*?)```(?:\s+```text\n([\s\S]*?)```)?/g)];
  const [, program = '', , output = ''] = named.find(([, , , printed]) => printed) ?? [];
  if (program === '') throw new Error('README has no program followed by its output');
  const files = new Map(named.map(([, name = '', content = '']) => [name, content]));
  return { files, program, output: output.trim() };
}

async function installRuntime({ name, specifier }: Runtime): Promise<string> {
  const folder = join(SCRATCH, name.replaceAll(' ', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await npm(['install', '--silent', '--no-audit', '--no-fund', specifier], folder);
  return join(folder, 'node_modules');
}

/** Runs the doctor against an embedded server. @throws when it finds something wrong. */
async function examine(executable: string): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  const kubeconfig = join(SCRATCH, 'kubeconfig');
  await server.writeKubeconfig(kubeconfig);
  await run(executable, [PROGRAM, 'doctor', '--kubeconfig', kubeconfig]);
}

async function outcomeOf(
  runtime: Runtime,
  program: string,
  output: string,
  traces: NodeTraces,
): Promise<string> {
  try {
    const modules = await installRuntime(runtime);
    const [binary = '', ...parameters] = runtime.command;
    const executable = join(modules, binary);
    const version = (await run(executable, ['--version'])).stdout.split('\n')[0] ?? '';
    const startedMs = performance.now();
    const { stdout } = await run(executable, [...parameters, program], { cwd: SCRATCH });
    const tookMs = performance.now() - startedMs;
    if (stdout.trim() !== output) return `failed: ${version} printed ${JSON.stringify(stdout)}`;
    const help = await run(executable, [...parameters, PROGRAM, '--help'], { cwd: SCRATCH });
    if (!help.stdout.includes('Usage: listwatch COMMAND')) {
      return `failed: the help on ${version} is ${JSON.stringify(help.stdout)}`;
    }
    const passed = `passed: ${version}, ${(tookMs / 1000).toFixed(2)} s`;
    if (!runtime.name.startsWith('Node')) return passed;
    await examine(executable);
    const difference = await traces.difference(executable);
    if (difference !== undefined) return `failed: ${difference}`;
    return `${passed}; traces of ${traces.controllers} simulated controllers`;
  } catch (error) {
    return `failed: ${String(error)}`;
  }
}

const { values } = parseArgs({ options: { 'all-traces': { type: 'boolean', default: false } } });
rmSync(SCRATCH, { recursive: true, force: true });
await exitWithoutRegistry('package-runtimes');
const tarball = await pack(SCRATCH);
writeFileSync(join(SCRATCH, 'package.json'), '{ "private": true, "type": "module" }');
await npm(['install', '--silent', '--no-audit', '--no-fund', tarball], SCRATCH);
const { files, program, output } = readmeExample();
for (const [name, content] of files) writeFileSync(join(SCRATCH, name), content);
const traces = new NodeTraces(values['all-traces']);
for (const runtime of RUNTIMES) {
  const outcome = await outcomeOf(runtime, program, output, traces);
  console.log(`${runtime.name}: ${outcome}`);
  if (!outcome.startsWith('passed')) process.exitCode = 1;
}
