import type { DeploymentCondition } from '../../types/built-in/apps-v1-kinds.ts';

export type Conditions = readonly DeploymentCondition[];

export type NewCondition = Required<
  Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>
>;

export function conditionOf(
  conditions: Conditions,
  type: DeploymentCondition['type'],
): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(
  conditions: Conditions,
  type: DeploymentCondition['type'],
): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** A condition that begins, or that has changed at this time. */
export function conditionAt(now: string, condition: NewCondition): DeploymentCondition {
  return { ...condition, lastUpdateTime: now, lastTransitionTime: now };
}

/**
 * The conditions with this one in place of another one of its type. One with the same status and reason stays as it is, and one with the
 * same status keeps the time of its transition.
 * @see kubernetes pkg/controller/deployment/util/deployment_util.go SetDeploymentCondition @ v1.37.2
 */
export function withCondition(conditions: Conditions, condition: DeploymentCondition): Conditions {
  const { type, status, reason } = condition;
  const present = conditionOf(conditions, type);
  if (present?.status === status && present?.reason === reason) return conditions;
  const since =
    present?.status === status ? present?.lastTransitionTime : condition.lastTransitionTime;
  return [...withoutCondition(conditions, type), { ...condition, lastTransitionTime: since }];
}

/** As `withCondition`, but also one with the same reason is written again: its update time shows that there was progress. */
export function withProgress(conditions: Conditions, condition: DeploymentCondition): Conditions {
  const present = conditionOf(conditions, condition.type);
  const since =
    present?.status === 'True' ? present.lastTransitionTime : condition.lastTransitionTime;
  const others = withoutCondition(conditions, condition.type);
  return [...others, { ...condition, lastTransitionTime: since }];
}
