import { timestampOf } from '../../server/registry/rules/duration.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

const NODE_CONDITIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
/** How long a pod stays on a node that is not ready, in seconds. */
const TOLERATION_SECONDS = 300;

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
