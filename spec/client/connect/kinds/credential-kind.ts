import type { ScratchDirectory } from '../../support/scratch-directory.ts';
import type { Cluster } from '../support/cluster.ts';
import type { WayIn } from '../support/trial.ts';

/** The tools of a kind of credential. */
export interface Room {
  readonly cluster: Cluster;
  readonly scratch: ScratchDirectory;
}

/** One kind of credential: the configuration of a client that uses it, and how it rotates. */
export interface CredentialKind {
  readonly name: string;
  /** No API server checks it: there is always a front that asks for it. */
  readonly needsFront?: boolean | undefined;
  open(room: Room): Promise<WayIn>;
}
