import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { OPTIONAL_PEERS, type OptionalPeer } from '../../kernel/options/optional-peer.ts';

/** Adds to MISSING_PEER the line for users of npx, who have no project to install a package into. Other errors stay as they are. */
export function withNpxLine(
  error: unknown,
  packages: readonly OptionalPeer[],
  parameters: string,
): unknown {
  if (!isListwatchError(error, 'MISSING_PEER')) return error;
  const all = packages.map((name) => `-p '${name}@${OPTIONAL_PEERS[name]}'`).join(' ');
  const line = `npx -p listwatch ${all} listwatch serve ${parameters}`;
  return new ListwatchError('MISSING_PEER', `${error.message}; without a project: ${line}`, {
    cause: error,
  });
}
