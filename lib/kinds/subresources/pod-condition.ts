import { timestampOf } from '../../server/registry/rules/duration.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The status of a pod with one condition set. The time of the last transition changes only with the condition's own status. */
export function withPodCondition(pod: unknown, condition: PodCondition, nowMs: number): JsonRecord {
  const conditions = recordsAt(pod, 'status', 'conditions');
  const index = conditions.findIndex((one) => textAt(one, 'type') === condition.type);
  const before = conditions[index];
  const same = before !== undefined && before['status'] === condition.status;
  const made: JsonRecord = {
    type: condition.type,
    status: condition.status,
    lastProbeTime: null,
    lastTransitionTime: same ? before['lastTransitionTime'] : timestampOf(nowMs),
  };
  if (condition.reason !== undefined) made['reason'] = condition.reason;
  if (condition.message !== undefined) made['message'] = condition.message;
  const changed = before === undefined ? [...conditions, made] : conditions.with(index, made);
  return { ...recordAt(pod, 'status'), conditions: changed };
}

/** Whether the condition `Ready` of a pod is true. */
export function isPodReady(pod: unknown): boolean {
  return recordsAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
}
