import { sameContent } from '../../meta/content/same-content.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { isPodAvailable, isPodReady, timestamp } from '../ownership/pod-activity.ts';
import type { ReplicaCondition, ReplicaOwner, ReplicaStatus } from './replica-kind.ts';

/** Why pods could not be created, or deleted. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** The pods of an owner. */
export interface ReplicaPods {
  readonly active: readonly Stored<Pod>[];
  /** Undefined for a kind that does not count them. */
  readonly terminating: readonly Stored<Pod>[] | undefined;
  readonly failure: ReplicaFailure | undefined;
}

/** @see kubernetes pkg/controller/replicaset/replica_set_utils.go calculateStatus @ v1.37.2 */
export function replicaStatus(
  owner: Stored<ReplicaOwner>,
  { active, terminating, failure }: ReplicaPods,
  nowMs: number,
): ReplicaStatus {
  const { minReadySeconds = 0, template } = owner.spec ?? {};
  const wanted = Object.entries(template?.metadata?.labels ?? {});
  const isFullyLabeled = ({ metadata }: Stored<Pod>): boolean => {
    const { labels } = metadata;
    return wanted.every(([key, value]) => labels?.[key] === value);
  };
  const ready = active.filter(isPodReady);
  const availability = { minReadySeconds, nowMs };
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(isFullyLabeled).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, availability)).length,
    ...(terminating && { terminatingReplicas: terminating.length }),
    observedGeneration: owner.metadata.generation,
    conditions: conditionsWith(owner.status?.conditions ?? [], failure, nowMs),
  };
}

const FAILURE = 'ReplicaFailure';

/** The first failure stays until there is none, so that a failure that repeats writes nothing. */
function conditionsWith(
  present: readonly ReplicaCondition[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): readonly ReplicaCondition[] {
  const others = present.filter(({ type }) => type !== FAILURE);
  if (failure === undefined) return others;
  if (others.length < present.length) return present;
  const lastTransitionTime = timestamp(nowMs);
  return [...others, { type: FAILURE, status: 'True', lastTransitionTime, ...failure }];
}

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Whether a write would change nothing. The server leaves out counts of 0, except for `terminatingReplicas`. */
export function isSameStatus(present: ReplicaStatus = {}, wanted: ReplicaStatus): boolean {
  return (
    COUNTS.every((count) => (present[count] ?? 0) === (wanted[count] ?? 0)) &&
    present.terminatingReplicas === wanted.terminatingReplicas &&
    present.observedGeneration === wanted.observedGeneration &&
    sameContent([present.conditions], [wanted.conditions])
  );
}
