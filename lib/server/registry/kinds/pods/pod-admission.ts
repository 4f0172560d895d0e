import { forbidden } from '../../../../meta/failures.ts';
import { timestampOf } from '../../rules/duration.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../rules/json-value.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

/** The classes that every cluster has. */
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const PODS = { group: '', resource: 'pods' };

const PREEMPTION = 'PreemptLowerPriority';

const NODE_CONDITIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
/** How long a pod stays on a node that is not ready, in seconds. */
const TOLERATION_SECONDS = 300;

/**
 * Sets the priority that follows from the class of a new pod. Classes that are objects are not looked up: their pods keep the
 * priority that they give.
 * @throws {ApiError} 403 for a pod with another priority.
 * @see plugin/pkg/admission/priority @ v1.36.3
 */
export function setPriority(pod: MutableObject): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  const name = textAt(spec, 'priorityClassName');
  const priority = name === '' ? 0 : SYSTEM_PRIORITIES[name];
  if (priority === undefined) return;
  const given = spec['priority'] ?? priority;
  if (given !== priority) {
    const reason = `the integer value of priority (${JSON.stringify(given)}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
    throw forbidden(PODS, pod.metadata.name ?? '', reason);
  }
  const policy = spec['preemptionPolicy'] ?? PREEMPTION;
  if (policy !== PREEMPTION) {
    const reason = `the string value of PreemptionPolicy (${policy as string}) must not be provided in pod spec; priority admission controller computed ${PREEMPTION} from the given PriorityClass name`;
    throw forbidden(PODS, pod.metadata.name ?? '', reason);
  }
  spec['priority'] = priority;
  spec['preemptionPolicy'] = PREEMPTION;
}

/** A pod that does not say when to leave a lost node leaves it after five minutes. @see plugin/pkg/admission/defaulttolerationseconds */
export function setTolerations(pod: MutableObject): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  const tolerations = recordsAt(spec, 'tolerations');
  const missing = NODE_CONDITIONS.filter(
    (key) => !tolerations.some((toleration) => tolerates(toleration, key)),
  );
  if (missing.length === 0) return;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATION_SECONDS,
  }));
  spec['tolerations'] = [...tolerations, ...added];
}

function tolerates(toleration: JsonRecord, key: string): boolean {
  const own = textAt(toleration, 'key');
  const effect = textAt(toleration, 'effect');
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
}

/** A pod with scheduling gates says so from the start. */
export function setGateCondition(pod: MutableObject, nowMs: number): void {
  const status = recordAt(pod, 'status');
  if (status === undefined || recordsAt(pod, 'spec', 'schedulingGates').length === 0) return;
  status['conditions'] = [
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: timestampOf(nowMs),
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ];
}

/** An update that leaves the priority out keeps it. */
export function keepPriority(pod: MutableObject, existing: MutableObject): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  for (const name of ['priority', 'preemptionPolicy']) {
    const before = recordAt(existing, 'spec')?.[name];
    if (before !== undefined) spec[name] ??= before;
  }
}
