import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ListwatchError } from '../failure/errors.ts';

/**
 * Packages that only some parts need, with the versions that work. `peerDependencies` of package.json takes any version, because npm refuses
 * an install for an optional peer whose range another package does not meet.
 */
export const OPTIONAL_PEERS = {
  '@grpc/grpc-js': '^1.14.0',
  '@noble/ciphers': '^2.0.0',
  ws: '^8.19.0',
} as const;

export type OptionalPeer = keyof typeof OPTIONAL_PEERS;

/**
 * Loads an optional peer dependency, or its submodule `module`. `neededBy` names the part that needs
 * it in the error.
 * @throws {ListwatchError} MISSING_PEER, with the line that installs the package, when it is not installed, or in another version.
 */
export function loadPeer(name: OptionalPeer, module: string, neededBy: string): unknown {
  // A bundle in CommonJS has no URL: the package is found from the working directory.
  const place = (import.meta as { readonly url?: string }).url ?? pathToFileURL('index.js').href;
  const load = createRequire(place);
  const wanted = OPTIONAL_PEERS[name];
  const missing = (problem: string, cause?: unknown): ListwatchError => {
    const text = `${neededBy} needs the package ${name}, ${problem}: npm install ${name}@${wanted}`;
    return new ListwatchError('MISSING_PEER', text, { cause });
  };
  let loaded: unknown;
  try {
    loaded = load(module);
  } catch (error) {
    if (!notFound(error, name)) throw error;
    throw missing('which is not installed', error);
  }
  const version = versionOf(load, name);
  if (version === undefined || isWithin(version, wanted)) return loaded;
  throw missing(`and version ${version} is installed`);
}

/** Undefined for a package that does not show its manifest. */
function versionOf(load: NodeJS.Require, name: string): string | undefined {
  try {
    const { version } = load(`${name}/package.json`) as { readonly version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a version is in a range such as `^8.19.0`. */
function isWithin(version: string, range: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = range.slice(1).split('.').map(Number);
  return major === wantedMajor && minor >= wantedMinor;
}

const NOT_FOUND: readonly string[] = [
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  // Another version has the module elsewhere.
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
];

/** Whether the package itself is missing, as opposed to one of its own dependencies. */
function notFound(error: unknown, name: OptionalPeer): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && NOT_FOUND.includes(code) && error.message.includes(name);
}
