import type { KubernetesObject } from '../../meta/object.ts';
import { fieldInvalid, fieldRequired } from '../../server/registry/rules/field-causes.ts';
import { isRecord, numberAt, recordAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { templateWarnings, workloadWarnings } from './template-warnings.ts';
import { replicaTemplate, shownMap } from './workload-checks.ts';
import { workloadScale } from './workload-scale.ts';

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
  if (isEmptyMap(value)) report.add(fieldRequired(path));
};

const templateOfReplicas = replicaTemplate('ReplicationController');

/** The value is the spec. */
const template: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const place = `${path}.template`;
  if (!isRecord(spec['template'])) return report.add(fieldRequired(place));
  const labels = recordAt(spec, 'template', 'metadata', 'labels');
  const wanted = Object.entries(recordAt(spec, 'selector') ?? {});
  if (wanted.some(([label, value]) => labels?.[label] !== value)) {
    const detail = '`selector` does not match template `labels`';
    report.add(fieldInvalid(`${place}.metadata.labels`, shownMap(labels), detail));
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
