import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';

/** The fields of a Lease, some of which its writer may have left out. */
export interface LeaseRecord {
  readonly uid: string;
  /** Empty: no process holds it. */
  readonly holder: string;
  /** Which run of the holder has written it, for holders of this package. */
  readonly instance: string | undefined;
  readonly durationMs: number;
  /** `leaseTransitions`. */
  readonly epoch: number;
  /** Changes with each renewal. */
  readonly text: string;
}

/** Distinguishes two processes of one identity, and two runs of one process. */
export const INSTANCE_ANNOTATION = 'election.listwatch.dev/instance';

/**
 * Reads a Lease of any writer: client-go, client-node, kopf, this package. No time in it counts, because it is of another clock: times may
 * be missing, have any number of digits, or be wrong.
 * @param durationMs counts where the Lease has no duration, or none that can be used.
 */
export function recordOf({ metadata, spec }: Stored<Lease>, durationMs: number): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds: seconds, leaseTransitions: epoch } = spec ?? {};
  return {
    uid: metadata.uid,
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    instance: metadata.annotations?.[INSTANCE_ANNOTATION],
    durationMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : durationMs,
    epoch: typeof epoch === 'number' && epoch > 0 ? Math.floor(epoch) : 0,
    text: JSON.stringify(spec ?? {}),
  };
}

/** Another holder that a coordinator prefers, to whom the present one gives the Lease; empty: none. */
export function preferredHolderOf({ spec }: Stored<Lease>, holder: string): string {
  const { preferredHolder } = spec ?? {};
  return typeof preferredHolder === 'string' && preferredHolder !== holder ? preferredHolder : '';
}

/** A time as Leases have it: kube-apiserver takes six digits of a second, and no others. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
