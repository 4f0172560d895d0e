import { sameContent } from '../../meta/content/same-content.ts';
import type { Deployment, DeploymentCondition } from '../../types/built-in/apps-v1-kinds.ts';
import { timeMs, timestamp } from '../ownership/pod-activity.ts';
import {
  conditionAt,
  conditionOf,
  withCondition,
  withoutCondition,
  withProgress,
  type Conditions,
} from './deployment-conditions.ts';
import {
  actualReplicas,
  availableReplicas,
  fenceposts,
  readyReplicas,
  sumOf,
  wantedReplicas,
  type StoredDeployment,
  type StoredSet,
} from './replica-counts.ts';
import type { OwnSets } from './scaling-plan.ts';

export interface DeploymentCounts {
  readonly observedGeneration: number | undefined;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  readonly terminatingReplicas: number | undefined;
}

/** A status as it is written. */
export interface DeploymentReport extends DeploymentCounts {
  readonly conditions: Conditions;
  readonly collisionCount: number | undefined;
}

/** A run, as far as the status depends on it. */
export interface StatusParts {
  readonly sets: OwnSets;
  /** Those of the run, which are not written yet. */
  readonly conditions: Conditions;
  readonly nowMs: number;
}

/** @see kubernetes pkg/controller/deployment/sync.go calculateStatus @ v1.37.2 */
export function deploymentStatus(
  deployment: StoredDeployment,
  { sets: { newSet, oldSets }, conditions, nowMs }: StatusParts,
): DeploymentReport {
  const all = newSet === undefined ? oldSets : [...oldSets, newSet];
  const available = sumOf(all, availableReplicas);
  const wanted = wantedReplicas(deployment);
  const isAvailable = available >= wanted - fenceposts(deployment).maxUnavailable;
  const condition = conditionAt(timestamp(nowMs), isAvailable ? AVAILABLE : UNAVAILABLE);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: sumOf(all, actualReplicas),
    updatedReplicas: newSet === undefined ? 0 : actualReplicas(newSet),
    readyReplicas: sumOf(all, readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, wantedReplicas) - available),
    terminatingReplicas: terminatingReplicas(all),
    collisionCount: deployment.status?.collisionCount,
    conditions: withCondition(conditions, condition),
  };
}

const AVAILABLE = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
} as const;
const UNAVAILABLE = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
} as const;

/** Undefined while a ReplicaSet that was counted does not say how many it has. */
function terminatingReplicas(sets: readonly StoredSet[]): number | undefined {
  let sum = 0;
  for (const { status } of sets) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return sum;
}

/**
 * The status with the progress of the rollout, and the failures of its ReplicaSets.
 * @see kubernetes pkg/controller/deployment/progress.go syncRolloutStatus @ v1.37.2
 */
export function rolloutStatus(deployment: StoredDeployment, parts: StatusParts): DeploymentReport {
  const status = deploymentStatus(deployment, parts);
  const { sets, nowMs } = parts;
  const progress = withRollout(deployment, status, sets.newSet, nowMs);
  const failure = replicaFailure(sets);
  const conditions =
    failure === undefined
      ? withoutCondition(progress, 'ReplicaFailure')
      : withCondition(progress, failure);
  return { ...status, conditions };
}

const NO_DEADLINE = 2 ** 31 - 1;

/** Milliseconds in which a rollout has to make progress; undefined without a limit. */
export function progressDeadlineMs({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * 1000;
}

function withRollout(
  deployment: StoredDeployment,
  status: DeploymentReport,
  newSet: StoredSet | undefined,
  nowMs: number,
): Conditions {
  const { conditions } = status;
  const deadlineMs = progressDeadlineMs(deployment);
  if (deadlineMs === undefined) return withoutCondition(conditions, 'Progressing');
  const present = conditionOf(conditions, 'Progressing');
  const isOver = present?.reason === 'NewReplicaSetAvailable';
  // Nothing is rolled out: replicas that come and go are no progress.
  if (isOver && status.replicas === status.updatedReplicas) return conditions;
  const subject =
    newSet === undefined
      ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
      : `ReplicaSet ${JSON.stringify(newSet.metadata.name)}`;
  const progressing = (done: boolean, reason: string, what: string): DeploymentCondition => {
    const message = `${subject} ${what}`;
    const written = { type: 'Progressing', reason, message } as const;
    return conditionAt(timestamp(nowMs), { ...written, status: done ? 'True' : 'False' });
  };
  if (isComplete(deployment, status)) {
    const done = progressing(true, 'NewReplicaSetAvailable', 'has successfully progressed.');
    return withCondition(conditions, done);
  }
  if (hasProgressed(deployment, status)) {
    return withProgress(conditions, progressing(true, 'ReplicaSetUpdated', 'is progressing.'));
  }
  if (!isTimedOut(present, deadlineMs, nowMs)) return conditions;
  const late = progressing(false, TIMED_OUT, 'has timed out progressing.');
  return withCondition(conditions, late);
}

/** Whether all wanted pods are of the present template, and available, and no others are left. */
export function isComplete(
  deployment: StoredDeployment,
  status: Pick<
    DeploymentCounts,
    'observedGeneration' | 'replicas' | 'updatedReplicas' | 'availableReplicas'
  >,
): boolean {
  const wanted = wantedReplicas(deployment);
  const { updatedReplicas, replicas, availableReplicas: available } = status;
  return (
    [updatedReplicas, replicas, available].every((count) => count === wanted) &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed({ status = {} }: StoredDeployment, now: DeploymentCounts): boolean {
  const { replicas = 0, updatedReplicas = 0 } = status;
  return (
    now.updatedReplicas > updatedReplicas ||
    now.replicas - now.updatedReplicas < replicas - updatedReplicas ||
    now.readyReplicas > (status.readyReplicas ?? 0) ||
    now.availableReplicas > (status.availableReplicas ?? 0)
  );
}

export const TIMED_OUT = 'ProgressDeadlineExceeded';

function isTimedOut(
  condition: DeploymentCondition | undefined,
  deadlineMs: number,
  nowMs: number,
): boolean {
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === TIMED_OUT) return true;
  return (timeMs(condition.lastUpdateTime) ?? 0) + deadlineMs < nowMs;
}

/** Milliseconds until the progress has to be looked at again; undefined if there is nothing to wait for. */
export function nextProgressCheckMs(
  deployment: StoredDeployment,
  status: DeploymentReport,
  nowMs: number,
): number | undefined {
  const deadlineMs = progressDeadlineMs(deployment);
  const condition = conditionOf(status.conditions, 'Progressing');
  if (deadlineMs === undefined || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === TIMED_OUT) return undefined;
  const leftMs = (timeMs(condition.lastUpdateTime) ?? 0) + deadlineMs - nowMs;
  // Times have seconds: a check within the last one would find nothing.
  return Math.max(0, leftMs) + 1000;
}

/** The failure of the newest ReplicaSet, or else of another one. */
function replicaFailure({ newSet, oldSets }: OwnSets): DeploymentCondition | undefined {
  const all = newSet === undefined ? oldSets : [newSet, ...oldSets];
  const failures = all.flatMap(
    ({ status }) => status?.conditions?.filter(({ type }) => type === 'ReplicaFailure') ?? [],
  );
  const [first] = failures;
  return first && { ...first, lastUpdateTime: first.lastTransitionTime };
}

const COUNTS = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
] as const;

/** Whether a write would change nothing. The server leaves out counts of 0, except for `terminatingReplicas`. */
export function isSameReport(
  present: NonNullable<Deployment['status']> = {},
  wanted: DeploymentReport,
): boolean {
  return (
    COUNTS.every((count) => (present[count] ?? 0) === wanted[count]) &&
    present.terminatingReplicas === wanted.terminatingReplicas &&
    present.collisionCount === wanted.collisionCount &&
    present.observedGeneration === wanted.observedGeneration &&
    sameContent([present.conditions], [wanted.conditions])
  );
}
