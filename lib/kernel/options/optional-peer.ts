import { createRequire } from 'node:module';
import { ListwatchError } from '../failure/errors.ts';

/** Packages that only some parts need. `peerDependencies` of package.json has the same ranges. */
export const OPTIONAL_PEERS = {
  '@grpc/grpc-js': '^1.14.0',
  '@noble/ciphers': '^2.0.0',
  ws: '^8.19.0',
} as const;

export type OptionalPeer = keyof typeof OPTIONAL_PEERS;

const load = createRequire(import.meta.url);

/**
 * Loads an optional peer dependency, or its submodule `module`. `neededBy` names the part that needs
 * it in the error.
 * @throws {ListwatchError} MISSING_PEER, with the line that installs the package, when it is not installed.
 */
export function loadPeer(name: OptionalPeer, module: string, neededBy: string): unknown {
  try {
    return load(module);
  } catch (error) {
    if (!notFound(error, name)) throw error;
    throw new ListwatchError(
      'MISSING_PEER',
      `${neededBy} needs the package ${name}, which is not installed: npm install ${name}@${OPTIONAL_PEERS[name]}`,
      { cause: error },
    );
  }
}

/** Whether the package itself is missing, as opposed to one of its own dependencies. */
function notFound(error: unknown, name: OptionalPeer): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') && error.message.includes(name)
  );
}
