import type { Deployment } from '../../types/built-in/apps-v1-kinds.ts';
import {
  activeSets,
  availableReplicas,
  byCreation,
  fenceposts,
  isRolling,
  sumOf,
  wantedReplicas,
  type StoredSet,
} from './replica-counts.ts';
import { desiredReplicas, maxReplicas } from './revisions.ts';

/** A ReplicaSet, and the replicas that it gets. */
export interface Scaling {
  readonly set: StoredSet;
  readonly replicas: number;
}

/** The ReplicaSets of a Deployment. */
export interface OwnSets {
  /** The one of the present template. */
  readonly newSet: StoredSet | undefined;
  readonly oldSets: readonly StoredSet[];
}

function allOf({ newSet, oldSets }: OwnSets): readonly StoredSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

/** Whether the Deployment was scaled since its ReplicaSets were. */
export function isScaled(deployment: Deployment, sets: OwnSets): boolean {
  const wanted = wantedReplicas(deployment);
  return activeSets(allOf(sets)).some((set) => (desiredReplicas(set) ?? wanted) !== wanted);
}

/**
 * The replicas of the newest ReplicaSet in the next step: as many as the surge allows.
 * @see kubernetes pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas @ v1.37.2
 */
export function newSetReplicas(
  deployment: Deployment,
  oldSets: readonly StoredSet[],
  present: number,
): number {
  const wanted = wantedReplicas(deployment);
  if (!isRolling(deployment) || present > wanted) return wanted;
  const room = wanted + fenceposts(deployment).maxSurge - sumOf(oldSets, wantedReplicas) - present;
  return present + Math.max(0, Math.min(room, wanted - present));
}

/**
 * The next steps in the old ReplicaSets: first pods that are not available, then as many as the others allow.
 * @see kubernetes pkg/controller/deployment/rolling.go reconcileOldReplicaSets @ v1.37.2
 */
export function oldSetScalings(
  deployment: Deployment,
  oldSets: readonly StoredSet[],
  newSet: StoredSet,
): readonly Scaling[] {
  const active = activeSets(oldSets).toSorted(byCreation);
  const minAvailable = wantedReplicas(deployment) - fenceposts(deployment).maxUnavailable;
  const notAvailable = wantedReplicas(newSet) - availableReplicas(newSet);
  const all = sumOf([...active, newSet], wantedReplicas);
  const most = all - minAvailable - notAvailable;
  if (active.length === 0 || most <= 0) return [];
  const unhealthy = unhealthyScalings(active, most);
  // Their counts are not known yet.
  if (unhealthy === undefined) return [];
  const left = new Map(active.map((set) => [set, wantedReplicas(set)]));
  for (const { set, replicas } of unhealthy) left.set(set, replicas);
  const surplus = sumOf([...active, newSet], availableReplicas) - minAvailable;
  return [...unhealthy, ...downBy(surplus, left)];
}

/** Undefined if a ReplicaSet reports more available pods than it should have: it has not seen its last scaling. */
function unhealthyScalings(active: readonly StoredSet[], most: number): Scaling[] | undefined {
  const scalings: Scaling[] = [];
  let room = most;
  for (const set of active) {
    if (room <= 0) break;
    const replicas = wantedReplicas(set);
    const unhealthy = replicas - availableReplicas(set);
    if (unhealthy < 0) return undefined;
    if (unhealthy === 0) continue;
    const fewer = Math.min(room, unhealthy);
    scalings.push({ set, replicas: replicas - fewer });
    room -= fewer;
  }
  return scalings;
}

function downBy(surplus: number, sizes: ReadonlyMap<StoredSet, number>): readonly Scaling[] {
  const scalings: Scaling[] = [];
  let room = surplus;
  for (const [set, replicas] of sizes) {
    if (room <= 0) break;
    if (replicas === 0) continue;
    const fewer = Math.min(room, replicas);
    scalings.push({ set, replicas: replicas - fewer });
    room -= fewer;
  }
  return scalings;
}

/**
 * The ReplicaSets after the Deployment was scaled. With several of them in the middle of a rollout each gets its share, so that scaling
 * neither hastens the rollout nor undoes it.
 * @see kubernetes pkg/controller/deployment/sync.go scale @ v1.37.2
 */
export function scalingsAfterScale(deployment: Deployment, sets: OwnSets): readonly Scaling[] {
  const { newSet, oldSets } = sets;
  const wanted = wantedReplicas(deployment);
  const active = activeSets(allOf(sets));
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? oldSets.toSorted(byCreation).at(-1);
    return only === undefined || wantedReplicas(only) === wanted
      ? []
      : [{ set: only, replicas: wanted }];
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return activeSets(oldSets).map((set) => ({ set, replicas: 0 }));
  }
  return isRolling(deployment) ? proportional(deployment, active) : [];
}

function isSaturated(deployment: Deployment, set: StoredSet): boolean {
  const wanted = wantedReplicas(deployment);
  const counts = [wantedReplicas(set), desiredReplicas(set), availableReplicas(set)];
  return counts.every((count) => count === wanted);
}

function proportional(deployment: Deployment, active: readonly StoredSet[]): readonly Scaling[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + fenceposts(deployment).maxSurge : 0;
  const toAdd = allowed - sumOf(active, wantedReplicas);
  // Larger ones first; of the same size the newer one grows first, and the older one shrinks first.
  const sorted = active.toSorted((one, other) => {
    const bySize = wantedReplicas(other) - wantedReplicas(one);
    return bySize || (toAdd > 0 ? byCreation(other, one) : byCreation(one, other));
  });
  let added = 0;
  const scalings = sorted.map((set): Scaling => {
    const share = shareOf(deployment, set, toAdd, added);
    added += share;
    return { set, replicas: wantedReplicas(set) + share };
  });
  return scalings.map(({ set, replicas }, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    return { set, replicas: Math.max(0, replicas + leftover) };
  });
}

function shareOf(deployment: Deployment, set: StoredSet, toAdd: number, added: number): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const share = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

/** @see kubernetes pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction @ v1.37.2 */
function fractionOf(deployment: Deployment, set: StoredSet): number {
  const size = wantedReplicas(set);
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -size;
  // An annotation that somebody has removed: the present size, although it is not that of the last scaling.
  const before = maxReplicas(set) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const share = (size * (wanted + fenceposts(deployment).maxSurge)) / before;
  return Math.floor(share + 0.5) - size;
}
