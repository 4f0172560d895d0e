import { isSince } from '../../meta/releases/kubernetes-features.ts';
import type { FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import {
  ensureRecord,
  numberAt,
  recordAt,
  textAt,
  valueAt,
  jsonEqual,
  isRecord,
  recordsAt,
  textsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type {
  HookParts,
  SelectableFields,
} from '../../server/registry/contract/kind-definition.ts';
import type { StoreHooks } from '../../server/registry/contract/store-hooks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import type { StrategyContext } from '../../server/registry/contract/strategy.ts';
import type { WritePolicy } from '../../server/registry/rules/write-policy.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { podSubresources } from '../subresources/pod-subresources.ts';
import { setGateCondition, setTolerations } from './pod-admission.ts';
import { findClasses, setClasses, type PodClasses } from './pod-classes.ts';
import { keepPriority } from './pod-priority.ts';
import { specWarnings, appArmorWarning } from './warnings/spec-warnings.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { qosClassOf } from './pod-qos.ts';
import { newPodChecks } from './pod-checks.ts';
import { podUpdateChecks, ephemeralContainersStrategy } from './pod-update.ts';
import { podStatusStrategy } from './pod-status.ts';
import { podResizeStrategy } from './pod-resize.ts';
import { completePodResources } from './spec/pod-level-resources.ts';
import { causesOf, Report, checkedBy } from '../../server/registry/validation/check.ts';
import { appArmorProfile } from './containers/security-profiles.ts';
import { visitContainers } from './report/pod-report.ts';
import { APP_ARMOR, appArmorOf } from './report/profile-annotations.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { podTemplateChecks, podTemplateWarnings } from './pod-template.ts';

/** Sources of projected volumes that older versions have switched off. */
const LATE_SOURCES = ['clusterTrustBundle', 'podCertificate'];

/**
 * Removes fields of a new spec whose features are switched off by default, unless the stored spec has them.
 * @see pkg/api/pod/util.go DropDisabledPodFields, DropDisabledTemplateFields @ v1.36.3
 */
function dropDisabledFields(
  spec: unknown,
  before: unknown,
  { minor }: Pick<StrategyContext, 'minor'>,
): void {
  if (!isRecord(spec)) return;
  for (const name of isSince(minor, 'certificateProjections') ? [] : LATE_SOURCES) {
    if (!sourcesOf(before).some((source) => source[name] !== undefined)) {
      for (const source of sourcesOf(spec)) delete source[name];
    }
  }
  if (valueAt(before, 'schedulingGroup') === undefined) delete spec['schedulingGroup'];
  if (stopSignals(before).length > 0) return;
  for (const { container, lifecycle } of stopSignals(spec)) {
    delete lifecycle['stopSignal'];
    if (Object.keys(lifecycle).length === 0) delete container['lifecycle'];
  }
}

function sourcesOf(spec: unknown): JsonRecord[] {
  return recordsAt(spec, 'volumes').flatMap((one) => recordsAt(one, 'projected', 'sources'));
}

interface Signalled {
  readonly container: JsonRecord;
  readonly lifecycle: JsonRecord;
}

function stopSignals(spec: unknown): Signalled[] {
  const found: Signalled[] = [];
  if (!isRecord(spec)) return found;
  visitContainers(spec, '', (container) => {
    const lifecycle = recordAt(container, 'lifecycle');
    if (lifecycle?.['stopSignal'] !== undefined) found.push({ container, lifecycle });
  });
  return found;
}

function specOf(template: unknown): unknown {
  return isRecord(template) ? template['spec'] : undefined;
}

/** @see pkg/registry/core/podtemplate/strategy.go @ v1.36.3 */
export const podTemplates: KindRules = {
  resource: 'podtemplates',
  strategy: {
    ...checkedBy(fields({ template: podTemplateChecks })),
    prepareForCreate(object, context) {
      dropDisabledFields(specOf(object['template']), undefined, context);
    },
    prepareForUpdate(object, existing, context) {
      dropDisabledFields(specOf(object['template']), specOf(existing['template']), context);
    },
    warnings: (object, existing) =>
      existing !== undefined && jsonEqual(object['template'], existing['template'])
        ? []
        : podTemplateWarnings(object['template'], 'template'),
  },
};

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function addExpressions(owner: unknown, labels: JsonRecord): void {
  const selector = recordAt(owner, 'labelSelector');
  if (selector === undefined) return;
  const make = (keys: readonly string[], operator: string): JsonRecord[] =>
    keys
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [textAt(labels, key)] }));
  const added = [
    ...make(textsAt(owner, 'matchLabelKeys'), 'In'),
    ...make(textsAt(owner, 'mismatchLabelKeys'), 'NotIn'),
  ];
  if (added.length === 0) return;
  selector['matchExpressions'] = [...recordsAt(selector, 'matchExpressions'), ...added];
}

/**
 * Adds to the selectors of a new pod what its `matchLabelKeys` and `mismatchLabelKeys` stand for.
 * @see pkg/registry/core/pod/strategy.go mutatePodAffinity, mutateTopologySpreadConstraints @ v1.36.3
 */
function applyLabelKeys(spec: JsonRecord, labels: unknown): void {
  if (!isRecord(labels)) return;
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    for (const one of recordsAt(spec, 'affinity', kind, PREFERRED)) {
      addExpressions(one['podAffinityTerm'], labels);
    }
    for (const term of recordsAt(spec, 'affinity', kind, REQUIRED)) addExpressions(term, labels);
  }
  for (const one of recordsAt(spec, 'topologySpreadConstraints')) addExpressions(one, labels);
}

function isRight(profile: unknown): boolean {
  const report = new Report({});
  appArmorProfile(profile, '', report);
  return report.causes.length === 0;
}

/**
 * Takes the AppArmor profiles in annotations of a new pod over to its containers.
 * @returns the warnings about these annotations
 * @see pkg/registry/core/pod/strategy.go applyAppArmorVersionSkew @ v1.36.3
 */
function applyAppArmorAnnotations(pod: MutableObject): readonly string[] {
  const spec = recordAt(pod, 'spec');
  const { annotations } = pod.metadata;
  if (spec === undefined || annotations === undefined) return [];
  if (valueAt(spec, 'os', 'name') === 'windows') return [];
  const whole = valueAt(spec, 'securityContext', 'appArmorProfile');
  const warnings: string[] = [];
  visitContainers(spec, 'spec', (container) => {
    const key = APP_ARMOR + textAt(container, 'name');
    const annotation = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    const context = recordAt(container, 'securityContext');
    if (annotation === undefined || context?.['appArmorProfile'] !== undefined) return;
    const found = appArmorOf(annotation);
    const profile = found !== undefined && isRight(found) ? found : undefined;
    if (profile !== undefined && jsonEqual(profile, whole)) return;
    if (profile !== undefined) {
      container['securityContext'] = { ...context, appArmorProfile: profile };
    }
    warnings.push(appArmorWarning(`metadata.annotations[${key}]`));
  });
  return warnings;
}

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
function completeSpec(pod: MutableObject, before: unknown, context: StrategyContext): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  // Pods from times when it was not checked have negative ones.
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0)
    spec['terminationGracePeriodSeconds'] = 1;
  const isOlder = !isSince(context.minor, 'podResourcesAtCreation');
  if (before === undefined || isOlder) completePodResources(spec);
  dropDisabledFields(spec, before, context);
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
    prepareForCreate(pod, context) {
      const { nowMs, found } = context;
      setClasses(pod, found as PodClasses);
      completeSpec(pod, undefined, context);
      applyLabelKeys(recordAt(pod, 'spec') ?? {}, pod.metadata.labels);
      const warnings = applyAppArmorAnnotations(pod);
      const status = ensureRecord(pod, 'status');
      if (status === undefined) return warnings;
      status['phase'] = 'Pending';
      setGateCondition(pod, nowMs);
      status['qosClass'] = qosClassOf(pod['spec']);
      return warnings;
    },
    prepareForUpdate(pod, existing, context) {
      keepPriority(pod, existing);
      setTolerations(pod);
      completeSpec(pod, existing['spec'], context);
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
