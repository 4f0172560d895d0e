import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';

/** The default of `leaseDurationMs`. */
const LEASE_MS = 15_000;
/** Renewals come every 2 s; a request that is repeated renews twice. */
const LEAST_PAUSE_MS = 1000;
const MORE_RENEWALS = 60;

interface Seen {
  readonly version: string;
  readonly holder: string;
  readonly transitions: number;
  readonly atMs: number;
  readonly renewals: number;
  readonly sinceMs: number;
}

/** The documented invariants of a lease, checked after each write. */
export function lawfulLease(name: string): Invariant {
  let last: Seen | undefined;
  return {
    name: `the lease ${name} is kept by its rules`,
    always: (state) => {
      if (last !== undefined && state.elapsedMs < last.atMs) last = undefined;
      const [next, problem] = followed(last, state, name);
      last = next;
      return problem;
    },
  };
}

function followed(
  last: Seen | undefined,
  state: ClusterState,
  name: string,
): readonly [next: Seen | undefined, problem: string | undefined] {
  const lease = state.get('coordination.k8s.io/v1', 'leases', name, 'default');
  const version = lease?.metadata?.resourceVersion ?? '';
  if (lease === undefined || version === last?.version) return [last, undefined];
  const { holderIdentity = '', leaseTransitions = 0, leaseDurationSeconds } = lease.spec ?? {};
  const atMs = state.elapsedMs;
  const isSame = last?.holder === holderIdentity;
  const next: Seen = {
    version,
    holder: holderIdentity,
    transitions: leaseTransitions,
    atMs,
    renewals: isSame ? (last?.renewals ?? 0) + 1 : 0,
    sinceMs: isSame ? (last?.sinceMs ?? atMs) : atMs,
  };
  if (last === undefined) return [next, undefined];
  const { renewTime, acquireTime } = lease.spec ?? {};
  if (holderIdentity !== '' && (renewTime === undefined || acquireTime === undefined))
    return [next, 'it has no times'];
  if (holderIdentity !== '' && leaseDurationSeconds !== LEASE_MS / 1000)
    return [next, `it is for ${leaseDurationSeconds} s`];
  if (leaseTransitions < last.transitions) return [next, 'its transitions go back'];
  if (isSame && leaseTransitions !== last.transitions)
    return [next, 'it has a transition and the same holder'];
  if (!isSame && holderIdentity !== '' && last.holder !== '' && atMs - last.atMs < LEASE_MS)
    return [
      next,
      `${holderIdentity} has taken it ${atMs - last.atMs} ms after a renewal of ${last.holder}`,
    ];
  if (
    !isSame &&
    holderIdentity !== '' &&
    last.holder !== '' &&
    leaseTransitions === last.transitions
  )
    return [next, 'it has another holder and no transition'];
  const usual = (atMs - next.sinceMs) / LEAST_PAUSE_MS + MORE_RENEWALS;
  if (next.renewals > usual) return [next, `it was renewed ${next.renewals} times`];
  return [next, undefined];
}
