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

/** Files made for the benches and kept from one run to the next; git ignores them. */
export const BENCH_FOLDER: string = join(ROOT, '.bench');

const CLIENT_GO = join(BENCH_FOLDER, 'client-go');
/** The versions of client-node, and the oldest Node that runs each. */
const CLIENT_NODES = [
  { folder: 'client-node', node: 20 },
  { folder: 'client-node-2', node: 22 },
] as const;
/** Names a Node 22 or later, in the environment of the runs, for what does not run on this one. */
const NODE_22_VARIABLE = 'LISTWATCH_BENCH_NODE22';

/** A version of `@kubernetes/client-node` that is installed. */
export interface InstalledClientNode {
  readonly version: string;
  readonly folder: string;
  /** The Node that runs it. */
  readonly node: string;
}

/** From now on, also in processes that are started: this Node runs what needs Node 22. */
export function takeNode22(path: string): void {
  process.env[NODE_22_VARIABLE] = path;
}

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
  await compile(ROOT, folder);
  await buildClientGo();
  for (const { folder, node } of CLIENT_NODES) await installClientNode(folder, node);
}

async function compile(checkout: string, folder: string): Promise<void> {
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const tsc = join(checkout, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', join(checkout, 'spec/bench'), '--outDir', folder]);
}

/** Builds what the client workloads of a checkout run, without the peers. Gives the environment in which they find it. */
export async function buildOwnPrograms(checkout: string): Promise<NodeJS.ProcessEnv> {
  const folder = join(checkout, '.bench', `${BUILD_PREFIX}${process.pid}`);
  await compile(checkout, folder);
  return { [BUILD_VARIABLE]: folder };
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

async function installClientNode(name: string, node: number): Promise<void> {
  const manifest = join(PEERS, name, 'package.json');
  const folder = join(BENCH_FOLDER, name);
  const installed = join(folder, 'package.json');
  const what = `@kubernetes/client-node ${versionOf(manifest)}`;
  if (nodeFor(node) === undefined) {
    leaveOut(what, `it needs Node ${node}, and this is ${process.version}; give --node22 PATH`);
    return;
  }
  if (exists(installed) && readFileSync(installed).equals(readFileSync(manifest))) return;
  try {
    mkdirSync(folder, { recursive: true });
    copyFileSync(manifest, installed);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', args, { cwd: folder, quiet: true });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    leaveOut(what, error);
  }
}

function versionOf(manifest: string): string {
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return dependencies['@kubernetes/client-node'] ?? '';
}

/** The Node that is at least of this version: this one, or the one that was given. */
function nodeFor(major: number): string | undefined {
  if (Number.parseInt(process.versions.node, 10) >= major) return process.execPath;
  const given = process.env[NODE_22_VARIABLE];
  return given === '' ? undefined : given;
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

/** The versions of `@kubernetes/client-node` that could be installed. */
export function clientNodes(): readonly InstalledClientNode[] {
  return CLIENT_NODES.flatMap(({ folder: name, node: major }) => {
    const folder = join(BENCH_FOLDER, name);
    const node = nodeFor(major);
    if (node === undefined || !exists(join(folder, 'node_modules/@kubernetes/client-node')))
      return [];
    return [{ version: versionOf(join(folder, 'package.json')), folder, node }];
  });
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
