import type { Stored } from '../../meta/stored.ts';
import type { Deployment, ReplicaSet } from '../../types/built-in/apps-v1-kinds.ts';
import type { IntOrString } from '../../types/built-in/kind-values.ts';

export type StoredSet = Stored<ReplicaSet>;
export type StoredDeployment = Stored<Deployment>;

/** The replicas that a Deployment or a ReplicaSet asks for. */
export function wantedReplicas({ spec }: Deployment | ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

export const actualReplicas = ({ status }: ReplicaSet): number => status?.replicas ?? 0;
export const readyReplicas = ({ status }: ReplicaSet): number => status?.readyReplicas ?? 0;
export const availableReplicas = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** The ReplicaSets that have pods, or should have. */
export function activeSets(sets: readonly StoredSet[]): StoredSet[] {
  return sets.filter((set) => wantedReplicas(set) > 0);
}

export function isRolling({ spec }: Deployment): boolean {
  return spec.strategy?.type !== 'Recreate';
}

/** How far a rollout may go beyond the wanted number of pods, and below it. */
export interface Fenceposts {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Percents of the surge are rounded up, those of the unavailable pods down. If both are 0 then, one pod may be unavailable: the rollout would
 * never end otherwise.
 * @see kubernetes pkg/controller/deployment/util/deployment_util.go ResolveFenceposts @ v1.37.2
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  if (!isRolling(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const wanted = wantedReplicas(deployment);
  const { rollingUpdate } = deployment.spec.strategy ?? {};
  const maxSurge = scaled(rollingUpdate?.maxSurge, wanted, Math.ceil);
  const unavailable = scaled(rollingUpdate?.maxUnavailable, wanted, Math.floor);
  const atLeast = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge, maxUnavailable: Math.min(atLeast, wanted) };
}

function scaled(
  value: IntOrString | undefined,
  total: number,
  round: (value: number) => number,
): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value ?? '', 10);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}

/** The oldest first; those of one second by name. @see kubernetes pkg/controller/controller_utils.go ReplicaSetsByCreationTimestamp @ v1.37.2 */
export function byCreation(one: StoredSet, other: StoredSet): number {
  return createdMs(one) - createdMs(other) || (one.metadata.name < other.metadata.name ? -1 : 1);
}

function createdMs({ metadata }: StoredSet): number {
  return new Date(metadata.creationTimestamp).getTime();
}
