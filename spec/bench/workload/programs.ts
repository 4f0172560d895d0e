import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { run } from './child-process.ts';
import { podFile } from './pod-bodies.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PEERS = join(ROOT, 'spec/bench/peers');
/** Names the folder of the programs that were built for this measurement, in the environment of what it starts. */
const BUILD_VARIABLE = 'LISTWATCH_BENCH_BUILD';

const BUILD_PREFIX = 'build-';

/** What is made for the benches and kept from one run to the next; git ignores it. */
export const BENCH_FOLDER: string = join(ROOT, '.bench');

const CLIENT_GO = join(BENCH_FOLDER, 'client-go');
const CLIENT_NODE = join(BENCH_FOLDER, 'client-node');

/** Says in one line on stderr why something is left out. */
function leaveOut(what: string, why: unknown): void {
  const reason = why instanceof Error ? why.message : String(why);
  process.stderr.write(`left out: ${what}: ${reason.trim().replaceAll('\n', ' ').slice(0, 300)}\n`);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

let prepared: Promise<void> | undefined;

/**
 * Builds everything that client workloads run: the package and its contestants as plain JavaScript, as users of the package run
 * it, and what there can be of the peers. Done once; what cannot be had is said.
 */
export function buildPrograms(): Promise<void> {
  prepared ??= build();
  return prepared;
}

async function build(): Promise<void> {
  removeLeftovers();
  const folder = join(BENCH_FOLDER, `${BUILD_PREFIX}${process.pid}`);
  process.env[BUILD_VARIABLE] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', join(ROOT, 'spec/bench'), '--outDir', folder]);
  await buildClientGo();
  await installClientNode();
}

/** Of measurements that were killed. */
function removeLeftovers(): void {
  mkdirSync(BENCH_FOLDER, { recursive: true });
  for (const name of readdirSync(BENCH_FOLDER)) {
    if (!name.startsWith(BUILD_PREFIX)) continue;
    try {
      process.kill(Number(name.slice(BUILD_PREFIX.length)), 0);
    } catch {
      rmSync(join(BENCH_FOLDER, name), { recursive: true, force: true });
    }
  }
}

async function buildClientGo(): Promise<void> {
  const source = join(PEERS, 'client-go');
  if (!exists(source)) return;
  try {
    await run('go', ['build', '-o', CLIENT_GO, '.'], { cwd: source, quiet: true });
  } catch (error) {
    rmSync(CLIENT_GO, { force: true });
    leaveOut('client-go', error);
  }
}

async function installClientNode(): Promise<void> {
  const manifest = join(PEERS, 'client-node/package.json');
  const installed = join(CLIENT_NODE, 'package.json');
  if (exists(installed) && readFileSync(installed).equals(readFileSync(manifest))) return;
  try {
    mkdirSync(CLIENT_NODE, { recursive: true });
    copyFileSync(manifest, installed);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', args, { cwd: CLIENT_NODE, quiet: true });
  } catch (error) {
    rmSync(CLIENT_NODE, { recursive: true, force: true });
    leaveOut('@kubernetes/client-node', error);
  }
}

/** A program of this folder or of a peer in TypeScript, as JavaScript. */
export function program(source: string): string {
  const folder = process.env[BUILD_VARIABLE];
  if (folder === undefined) throw new Error('buildPrograms comes first');
  const path = relative(ROOT, join(import.meta.dirname, source));
  return join(folder, path.replace(/^.*spec\/bench/, 'spec/bench').replace(/\.ts$/, '.js'));
}

/** The client-go contestant, if it could be built. */
export function clientGo(): string | undefined {
  return exists(CLIENT_GO) ? CLIENT_GO : undefined;
}

/** Where `@kubernetes/client-node` is installed, if it could be. */
export function clientNode(): string | undefined {
  return exists(join(CLIENT_NODE, 'node_modules/@kubernetes/client-node'))
    ? CLIENT_NODE
    : undefined;
}

/** The pods in protobuf, if client-go is there to encode them. */
export async function protobufFile(objects: number): Promise<string | undefined> {
  const tool = clientGo();
  if (tool === undefined) return undefined;
  const pods = podFile(BENCH_FOLDER, objects);
  const path = pods.replace(/\.ndjson$/, '.pb');
  if (exists(path)) return path;
  try {
    const part = `${path}.${process.pid}`;
    await run(tool, ['encode', '--in', pods, '--out-frames', part], { quiet: true });
    renameSync(part, path);
    return path;
  } catch (error) {
    leaveOut('protobuf', error);
    return undefined;
  }
}
