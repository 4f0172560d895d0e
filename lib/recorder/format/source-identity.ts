import { createHash } from 'node:crypto';

/**
 * Which server a file is from, and whose rights it shows, without a credential.
 *
 * @experimental
 */
export interface SourceIdentity {
  /** Host of the server, and a hash of what distinguishes it from another cluster at the same address. */
  readonly server: string;
  /** A hash of the name of the user. */
  readonly user: string;
}

const HASH_CHARACTERS = 16;

/** A short hash, for names that a file should not show. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
}
