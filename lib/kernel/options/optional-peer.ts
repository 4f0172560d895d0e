import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { errorMessage, ListwatchError } from '../failure/errors.ts';
import { ownFile, packageFolder } from '../failure/own-file.ts';

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

/** The modules of optional peers, as a program imports them. */
export type PeerModule = '@grpc/grpc-js' | '@noble/ciphers/salsa.js' | 'ws';

const PEER_MODULES: readonly PeerModule[] = ['@grpc/grpc-js', '@noble/ciphers/salsa.js', 'ws'];
const provided = new Map<string, object>();

/**
 * Gives the package an optional peer that it cannot find by itself: `providePeer('ws', ws)` with all that the program imports of it as `ws`.
 * Bundlers take a peer into their file where the program imports it. Call it before the peer is needed.
 * @throws {ListwatchError} INVALID_OPTION
 */
export function providePeer(module: PeerModule, loaded: object): void {
  if (!PEER_MODULES.includes(module)) {
    const problem = `the module must be one of ${PEER_MODULES.join(', ')}, not ${module}`;
    throw new ListwatchError('INVALID_OPTION', `providePeer: ${problem}`);
  }
  if ((typeof loaded !== 'object' && typeof loaded !== 'function') || loaded === null) {
    const problem = `${module} must be what import * as name from '${module}' gives`;
    throw new ListwatchError('INVALID_OPTION', `providePeer: ${problem}`);
  }
  provided.set(module, loaded);
}

/**
 * Loads an optional peer dependency, or its submodule `module`. `neededBy` names the part that needs
 * it in the error.
 * @throws {ListwatchError} MISSING_PEER, with the line that installs the package, when it is not installed, or in part, or in another version.
 */
export function loadPeer(name: OptionalPeer, module: PeerModule, neededBy: string): unknown {
  const given = provided.get(module);
  if (given !== undefined) return given;
  const wanted = OPTIONAL_PEERS[name];
  const missing = (problem: string, cause?: unknown): ListwatchError => {
    const text = `${neededBy} needs the package ${name}, ${problem}: npm install ${name}@${wanted}`;
    return new ListwatchError('MISSING_PEER', text, { cause });
  };
  const file = ownFile();
  const isBundled = packageFolder(file) === undefined;
  // A bundle may run where its packages are, or be started from there.
  const places = isBundled ? [file, pathToFileURL('index.js').href] : [file];
  let problem: unknown;
  for (const place of places) {
    if (place === undefined) continue;
    const load = createRequire(place);
    let loaded: unknown;
    try {
      loaded = load(module);
    } catch (error) {
      const [line = ''] = errorMessage(error).split('\n');
      if (!isNotFound(error, line, name)) throw missing(`which cannot be loaded (${line})`, error);
      problem = error;
      continue;
    }
    const version = versionOf(load, name);
    if (version === undefined || isWithin(version, wanted)) return loaded;
    throw missing(`and version ${version} is installed`);
  }
  if (!isBundled) throw missing('which is not installed', problem);
  const text = `import * as peer from '${module}'; providePeer('${module}', peer)`;
  throw missing(`which this bundle does not have; add ${text} to the program`, problem);
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

/** Whether the package itself is missing, as opposed to one of its own dependencies or files. The other lines of a message name who requires it. */
function isNotFound(error: unknown, line: string, name: OptionalPeer): boolean {
  const { code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return code !== undefined && NOT_FOUND.includes(code) && line.includes(name);
}
