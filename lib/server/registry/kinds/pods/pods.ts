import type { FieldCause } from '../../../../meta/failures.ts';
import type { UnstructuredObject } from '../../../../meta/object.ts';
import { fieldForbidden } from '../../rules/field-causes.ts';
import {
  ensureRecord,
  isRecord,
  jsonEqual,
  recordAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../rules/json-value.ts';
import type { SelectableFields } from '../../contract/kind-definition.ts';
import type { KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { podSubresources } from '../../subresources/pod-subresources.ts';
import { keepPriority, setGateCondition, setPriority, setTolerations } from './pod-admission.ts';
import { specWarnings } from './warnings/spec-warnings.ts';
import { dropDisabledFields } from './pod-preparation.ts';
import { dnsLabel } from '../../validation/formats.ts';
import { qosClassOf } from './pod-spec.ts';
import { newPodChecks } from './pod-checks.ts';
import { causesOf } from '../../validation/check.ts';

/** The default grace period, seconds. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The grace period of a deletion: 0 for a pod without a node, because no container has to be stopped.
 * @see pkg/registry/core/pod/strategy.go CheckGracefulDelete @ 24a394e
 */
function gracePeriodSeconds(pod: MutableObject, asked: number | undefined): number {
  if (textAt(pod, 'spec', 'nodeName') === '') return 0;
  if (['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'))) return 0;
  const own = valueAt(pod, 'spec', 'terminationGracePeriodSeconds');
  const seconds = asked ?? (typeof own === 'number' ? own : DEFAULT_GRACE_SECONDS);
  return seconds < 0 ? 1 : Math.trunc(seconds);
}

/** The fields of a pod's spec that an update may change. */
const CHANGEABLE = [
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'tolerations',
  'schedulingGates',
];

/**
 * The spec without the fields that may change. An update may set the node of a pod without one: there is no binding subresource
 * here, so this is how a scheduler places a pod.
 */
function fixedPart(spec: JsonRecord, existing: JsonRecord): JsonRecord {
  const fixed: JsonRecord = { ...spec };
  for (const name of CHANGEABLE) delete fixed[name];
  for (const list of ['containers', 'initContainers']) {
    const containers = fixed[list];
    if (!Array.isArray(containers)) continue;
    fixed[list] = containers.map((one: unknown) =>
      isRecord(one) ? { ...one, image: '', resources: undefined } : one,
    );
  }
  if (textAt(existing, 'nodeName') === '') delete fixed['nodeName'];
  return fixed;
}

function validate(pod: MutableObject): FieldCause[] {
  return causesOf(newPodChecks, pod);
}

function validateUpdate(pod: MutableObject, existing: MutableObject): FieldCause[] {
  const spec = recordAt(pod, 'spec') ?? {};
  const before = recordAt(existing, 'spec') ?? {};
  if (jsonEqual(fixedPart(spec, before), fixedPart(before, before))) return validate(pod);
  const detail =
    'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations`, `spec.terminationGracePeriodSeconds` and an empty `spec.nodeName`';
  return [...validate(pod), fieldForbidden('spec', detail)];
}

/** Only at the creation: clients do not look at the updates of pods. */
function podWarnings(pod: UnstructuredObject, existing?: UnstructuredObject): string[] {
  if (existing !== undefined) return [];
  const name = textAt(pod, 'metadata', 'name');
  const problems = dnsLabel(name);
  const hostname =
    problems.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
        ];
  return [...hostname, ...specWarnings({ metadata: pod.metadata, spec: pod['spec'], path: '' })];
}

const selectableFields: SelectableFields = {
  'spec.nodeName': (pod) => textAt(pod, 'spec', 'nodeName'),
  'spec.restartPolicy': (pod) => textAt(pod, 'spec', 'restartPolicy'),
  'spec.schedulerName': (pod) => textAt(pod, 'spec', 'schedulerName'),
  'spec.serviceAccountName': (pod) => textAt(pod, 'spec', 'serviceAccountName'),
  'spec.hostNetwork': (pod) => String(valueAt(pod, 'spec', 'hostNetwork') === true),
  'status.phase': (pod) => textAt(pod, 'status', 'phase'),
  // Can be asked for, but has no value.
  'status.podIPs': () => '',
  'status.podIP': (pod) => textAt(pod, 'status', 'podIP'),
  'status.nominatedNodeName': (pod) => textAt(pod, 'status', 'nominatedNodeName'),
};

export const pods: KindRules = {
  resource: 'pods',
  strategy: {
    prepareForCreate(pod, { nowMs }) {
      setPriority(pod);
      setTolerations(pod);
      dropDisabledFields(pod['spec'], undefined);
      const status = ensureRecord(pod, 'status');
      if (status === undefined) return;
      status['phase'] = 'Pending';
      setGateCondition(pod, nowMs);
      status['qosClass'] = qosClassOf(pod['spec']);
    },
    prepareForUpdate(pod, existing) {
      keepPriority(pod, existing);
      setTolerations(pod);
      dropDisabledFields(pod['spec'], existing['spec']);
    },
    warnings: podWarnings,
    validate,
    validateUpdate,
    gracePeriodSeconds,
  },
  newSubresources: podSubresources({ validate, qosClassOf }),
  selectableFields,
};
