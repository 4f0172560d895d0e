import { isRecord, jsonEqual, numberAt, recordAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import {
  atMostAllPercent,
  intOrPercent,
  intOrPercentValue,
} from '../../server/registry/validation/int-or-percent.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { workloadWarnings, templateWarnings } from './template-warnings.ts';
import {
  fixedSelector,
  replicaTemplate,
  selectorAndTemplate,
  shownMap,
} from './workload-checks.ts';
import { workloadScale } from './workload-scale.ts';
import type { KubernetesObject } from '../../meta/object.ts';

/** @see pkg/apis/apps/validation/validation.go ValidateReplicaSet @ v1.36.3 */
const replicaSetChecks = fields({
  spec: all(
    fields({ replicas: nonNegative, minReadySeconds: nonNegative }),
    selectorAndTemplate({
      // The message is that of a deployment.
      name: 'deployment',
      unreadable: 'invalid label selector',
      template: replicaTemplate('ReplicaSet'),
    }),
    fields({ selector: fixedSelector }),
  ),
});

export const replicaSets: KindRules = {
  group: 'apps',
  resource: 'replicasets',
  strategy: { ...checkedBy(replicaSetChecks), warnings: workloadWarnings },
  scale: workloadScale,
};

/** The selector of a replication controller is a map of labels. */
function selectorText(controller: KubernetesObject): string {
  return Object.entries(recordAt(controller, 'spec', 'selector') ?? {})
    .map(([label, value]) => `${label}=${String(value)}`)
    .toSorted()
    .join(',');
}

function isEmptyMap(map: unknown): boolean {
  return !isRecord(map) || Object.keys(map).length === 0;
}

const selector: Check = (value, path, report) => {
  if (isEmptyMap(value)) report.required(path);
};

const templateOfReplicas = replicaTemplate('ReplicationController');

/** The value is the spec. */
const template: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const place = `${path}.template`;
  if (!isRecord(spec['template'])) return report.required(place);
  const labels = recordAt(spec, 'template', 'metadata', 'labels');
  const wanted = Object.entries(recordAt(spec, 'selector') ?? {});
  if (wanted.some(([label, value]) => labels?.[label] !== value)) {
    const detail = '`selector` does not match template `labels`';
    report.invalid(`${place}.metadata.labels`, shownMap(labels), detail);
  }
  templateOfReplicas(spec['template'], place, report);
};

/** @see pkg/apis/core/validation/validation.go ValidateReplicationController @ v1.36.3 */
const controllerChecks: Check = fields({
  spec: all(
    fields({ minReadySeconds: nonNegative, selector, replicas: requiredFor('', nonNegative) }),
    template,
  ),
});

export const replicationControllers: KindRules = {
  resource: 'replicationcontrollers',
  strategy: {
    defaultPropagation: 'Orphan',
    ...checkedBy(controllerChecks),
    warnings(controller, existing) {
      // The template of before is the one that is looked at.
      return existing === undefined
        ? workloadWarnings(controller)
        : templateWarnings({ ...controller, spec: existing['spec'] }, existing);
    },
  },
  selectableFields: {
    'status.replicas': (controller) => String(numberAt(controller, 'status', 'replicas')),
  },
  scale: { ...workloadScale, selectorOf: selectorText },
};

const bothZero: Check = (rolling, path, report) => {
  if (!isRecord(rolling)) return;
  const { maxUnavailable = 0, maxSurge = 0 } = rolling;
  if (intOrPercentValue(maxUnavailable) !== 0 || intOrPercentValue(maxSurge) !== 0) return;
  const detail = 'may not be 0 when `maxSurge` is 0';
  report.invalid(`${path}.maxUnavailable`, maxUnavailable, detail);
};

const rollingUpdate = all(
  fields({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  bothZero,
  fields({ maxUnavailable: atMostAllPercent }),
);

const TYPES = ['Recreate', 'RollingUpdate'];

const strategy: Check = (value, path, report) => {
  const { type = '', rollingUpdate: rolling } = isRecord(value) ? value : {};
  const place = `${path}.rollingUpdate`;
  if (type === 'RollingUpdate') {
    if (isRecord(rolling)) rollingUpdate(rolling, place, report);
    else report.required(place, 'this should be defaulted and never be nil');
  } else if (type === 'Recreate') {
    if (rolling === undefined) return;
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    report.forbidden(place, detail);
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = isRecord(rolling) ? rolling : {};
    const shown = isRecord(rolling) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
    report.notSupported(path, { Type: type, RollingUpdate: shown }, TYPES);
  }
};

const afterReady: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready } = spec;
  if (typeof deadline !== 'number' || deadline > (typeof ready === 'number' ? ready : 0)) return;
  const detail = 'must be greater than minReadySeconds';
  report.invalid(`${path}.progressDeadlineSeconds`, deadline, detail);
};

const deploymentSpec: Check = all(
  fields({ replicas: nonNegative }),
  selectorAndTemplate({
    name: 'deployment',
    unreadable: 'invalid label selector',
    template: replicaTemplate('ReplicaSet'),
  }),
  fields({
    strategy,
    minReadySeconds: nonNegative,
    revisionHistoryLimit: nonNegative,
    progressDeadlineSeconds: nonNegative,
  }),
  afterReady,
  fields({ selector: fixedSelector }),
);

/** @see pkg/apis/apps/validation/validation.go ValidateDeployment @ v1.36.3 */
const deploymentChecks: Check = fields({ spec: deploymentSpec });

export const deployments: KindRules = {
  group: 'apps',
  resource: 'deployments',
  strategy: {
    ...checkedBy(deploymentChecks),
    // Annotations are copied to replica sets, so that their changes count as well.
    prepareForUpdate({ metadata }, { metadata: before }) {
      if (jsonEqual(metadata.annotations ?? {}, before.annotations ?? {})) return;
      metadata.generation = (before.generation ?? 0) + 1;
    },
    warnings: workloadWarnings,
  },
  scale: workloadScale,
};
