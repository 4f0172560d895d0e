import type { FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import {
  ensureRecord,
  numberAt,
  recordAt,
  textAt,
  valueAt,
} from '../../meta/json-value.ts';
import type {
  HookParts,
  SelectableFields,
} from '../../server/registry/contract/kind-definition.ts';
import type { StoreHooks } from '../../server/registry/contract/store-hooks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import type { WritePolicy } from '../../server/registry/rules/write-policy.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { podSubresources } from '../subresources/pod-subresources.ts';
import { setGateCondition, setTolerations } from './pod-admission.ts';
import { findClasses, setClasses, type PodClasses } from './pod-classes.ts';
import { keepPriority } from './pod-priority.ts';
import { specWarnings } from './warnings/spec-warnings.ts';
import { dropDisabledFields } from './pod-preparation.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { qosClassOf } from './pod-qos.ts';
import { newPodChecks } from './pod-checks.ts';
import { podUpdateChecks } from './pod-update.ts';
import { podStatusStrategy } from './pod-status.ts';
import { ephemeralContainersStrategy } from './ephemeral-update.ts';
import { podResizeStrategy } from './pod-resize.ts';
import { completePodResources } from './spec/pod-level-resources.ts';
import { applyLabelKeys } from './label-key-selectors.ts';
import { applyAppArmorAnnotations } from './app-armor-fields.ts';
import { causesOf } from '../../server/registry/validation/check.ts';

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

function validate(pod: MutableObject, policy?: WritePolicy): FieldCause[] {
  return causesOf(newPodChecks, pod, undefined, policy);
}

function validateUpdate(
  pod: MutableObject,
  existing: MutableObject,
  policy?: WritePolicy,
): FieldCause[] {
  return causesOf(podUpdateChecks, pod, existing, policy);
}

/** Defaults of every write of a pod that its types do not have. */
function completeSpec(pod: MutableObject, before: unknown): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  // Pods from times when it was not checked have negative ones.
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0)
    spec['terminationGracePeriodSeconds'] = 1;
  completePodResources(spec);
  dropDisabledFields(spec, before);
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

/** The classes of a new pod are looked up before it is prepared. */
function podHooks({ storeOf }: HookParts): StoreHooks {
  return { lookUp: (pod) => findClasses(storeOf, pod) };
}

export const pods: KindRules = {
  resource: 'pods',
  newHooks: podHooks,
  strategy: {
    prepareForCreate(pod, { nowMs, found }) {
      setClasses(pod, found as PodClasses);
      completeSpec(pod, undefined);
      applyLabelKeys(recordAt(pod, 'spec') ?? {}, pod.metadata.labels);
      const warnings = applyAppArmorAnnotations(pod);
      const status = ensureRecord(pod, 'status');
      if (status === undefined) return warnings;
      status['phase'] = 'Pending';
      setGateCondition(pod, nowMs);
      status['qosClass'] = qosClassOf(pod['spec']);
      return warnings;
    },
    prepareForUpdate(pod, existing) {
      keepPriority(pod, existing);
      setTolerations(pod);
      completeSpec(pod, existing['spec']);
    },
    warnings: podWarnings,
    validate,
    validateUpdate,
    gracePeriodSeconds,
  },
  statusStrategy: podStatusStrategy,
  newSubresources: podSubresources({
    ephemeralContainers: ephemeralContainersStrategy,
    resize: podResizeStrategy,
  }),
  selectableFields,
};
