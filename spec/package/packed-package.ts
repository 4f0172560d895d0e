import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './manifest.ts';

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

let packed: Promise<string> | undefined;

/**
 * Builds and packs the package into a folder; returns the path of the tarball. A process builds it once, and with LISTWATCH_TARBALL not
 * at all: it takes that one, which is packed already.
 */
export async function pack(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.tgz'))) {
    rmSync(join(folder, name));
  }
  const { LISTWATCH_TARBALL: given } = process.env;
  packed ??= given === undefined ? packInto(PACKED) : Promise.resolve(given);
  const tarball = await packed;
  const copy = join(folder, basename(tarball));
  copyFileSync(tarball, copy);
  return copy;
}

async function packInto(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await npm(['pack', '--silent', '--pack-destination', folder], ROOT);
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

/** What files take on a disk with blocks of 4 KiB, as `du` counts them. */
export function diskBytesOf(folder: string, files: readonly string[]): number {
  return files.reduce((sum, name) => sum + blocks(statSync(join(folder, name)).size), 0);
}

function blocks(bytes: number): number {
  return Math.ceil(bytes / 4096) * 4096;
}
