import type { ScratchDirectory } from '../../support/scratch-directory.ts';
import type { Cluster } from './cluster.ts';
import type { WayIn } from './trial.ts';

/** What a kind of credential works with. */
export interface Room {
  readonly cluster: Cluster;
  readonly scratch: ScratchDirectory;
}

/** One kind of credential: the configuration of a client that uses it, and how it rotates. */
export interface CredentialKind {
  readonly name: string;
  open(room: Room): Promise<WayIn>;
}

/** A way in with nothing to close. */
function wayIn(options: WayIn['options'], rotate?: WayIn['rotate']): WayIn {
  return { options, rotate, [Symbol.asyncDispose]: () => Promise.resolve() };
}

const token: CredentialKind = {
  name: 'token',
  open: async ({ cluster }) =>
    wayIn({
      server: cluster.server,
      token: await cluster.issueToken(),
      tls: { ca: cluster.authority },
    }),
};

/** Every kind of credential that a client presents itself, in the order of the table. */
export const credentialKinds: readonly CredentialKind[] = [token];
