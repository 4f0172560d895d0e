import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import { until } from '../support/until.ts';
import { publishedFiles, readManifest, ROOT } from './manifest.ts';

interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const PACKED = join(ROOT, '.tmp', 'built');
/** Only a hang reaches this, milliseconds. */
const LIMIT_MS = 600_000;

/** Runs a program; what it printed is part of the error when it fails. */
export async function run(
  file: string,
  parameters: readonly string[],
  options: RunOptions = {},
): Promise<Output> {
  try {
    const limits = { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
    return await promisify(execFile)(file, parameters, { ...limits, ...options });
  } catch (error) {
    const { stdout, stderr } = error as Output;
    throw new Error(`${file} ${parameters.join(' ')} failed:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

/** npm without what another npm passes on to the programs it runs; registry, cache and user settings stay. */
export async function npm(parameters: readonly string[], cwd: string): Promise<Output> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || /^npm_config_(?:registry|cache|userconfig)$/i.test(name),
  );
  return await run('npm', parameters, { cwd, env: Object.fromEntries(inherited) });
}

/** Ends the program, with a line that says what was not done, where the registry of npm cannot be reached. */
export async function exitWithoutRegistry(what: string): Promise<void> {
  try {
    await npm(['ping', '--silent', '--fetch-retries=0', '--fetch-timeout=10000'], ROOT);
  } catch {
    console.log(`${what}: not run, the npm registry cannot be reached`);
    process.exit(0);
  }
}

/** Names the file in which `packCopy` says where its tarball is, or why there is none. */
const PACKING = 'LISTWATCH_PACKING';
let packed: Promise<string> | undefined;

/**
 * Builds and packs the package into a folder; returns the path of the tarball. A process builds it once, and with LISTWATCH_TARBALL not
 * at all: it takes that one, which is packed already. In a suite it waits for the one of `packCopy`.
 */
export async function pack(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.tgz'))) {
    rmSync(join(folder, name));
  }
  packed ??= packedTarball();
  const tarball = await packed;
  const copy = join(folder, basename(tarball));
  copyFileSync(tarball, copy);
  return copy;
}

async function packedTarball(): Promise<string> {
  const { LISTWATCH_TARBALL: given, [PACKING]: place } = process.env;
  if (given !== undefined) return given;
  if (place === undefined) return await packInto(PACKED);
  await until('the package of the suite is packed', () => existsSync(place));
  const { tarball, problem } = JSON.parse(readFileSync(place, 'utf8')) as Packing;
  if (tarball === undefined) throw new Error(`the package was not packed: ${problem}`);
  return tarball;
}

interface Packing {
  readonly tarball?: string;
  readonly problem?: string;
}

/**
 * Begins to build and pack for all processes of a suite, from a copy: the scripts of `npm pack` change the package.json of the checkout,
 * which other specs read meanwhile. Returns the variable of the environment in which `pack` finds the result.
 */
export function packCopy(folder: string): Readonly<Record<string, string>> {
  if (process.env['LISTWATCH_TARBALL'] !== undefined) return {};
  const place = join(folder, 'packing.json');
  const write = (packing: Packing): void => {
    writeFileSync(`${place}.new`, JSON.stringify(packing));
    renameSync(`${place}.new`, place);
  };
  mkdirSync(folder, { recursive: true });
  packedCopy(folder).then(
    (tarball) => write({ tarball }),
    (error: unknown) => write({ problem: errorMessage(error) }),
  );
  return { [PACKING]: place };
}

async function packedCopy(folder: string): Promise<string> {
  const copy = join(folder, 'package');
  await run(process.execPath, ['--import', 'tsx', 'spec/package/build.ts'], { cwd: ROOT });
  const { files } = readManifest();
  const copied = files.filter((path) => !path.startsWith('!'));
  for (const path of [...copied, 'README.md', 'LICENSE']) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  for (const [path, text] of publishedFiles()) writeFileSync(join(copy, path), text);
  await npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], copy);
  return tarballIn(folder);
}

async function packInto(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await npm(['pack', '--silent', '--pack-destination', folder], ROOT);
  return tarballIn(folder);
}

function tarballIn(folder: string): string {
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return join(folder, tarball);
}

/** Unpacks a tarball of npm into a folder. */
export async function unpack(tarball: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
}

/** All files below a folder, relative to it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
}

/** The space of files on a disk with blocks of 4 KiB, as `du` counts them. */
export function diskBytesOf(folder: string, files: readonly string[]): number {
  return files.reduce((sum, name) => sum + blocks(statSync(join(folder, name)).size), 0);
}

function blocks(bytes: number): number {
  return Math.ceil(bytes / 4096) * 4096;
}
