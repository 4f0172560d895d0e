import type { KubernetesObject } from '../../../../meta/object.ts';
import { numberAt, recordAt } from '../../rules/json-value.ts';
import type { KindRules } from '../contract/kind-rules.ts';
import { workloadScale } from './workload.ts';

/** The selector of a replication controller is a map of labels. */
function selectorText(controller: KubernetesObject): string {
  return Object.entries(recordAt(controller, 'spec', 'selector') ?? {})
    .map(([label, value]) => `${label}=${String(value)}`)
    .toSorted()
    .join(',');
}

export const replicationControllers: KindRules = {
  resource: 'replicationcontrollers',
  strategy: { defaultPropagation: 'Orphan' },
  selectableFields: {
    'status.replicas': (controller) => String(numberAt(controller, 'status', 'replicas')),
  },
  scale: { ...workloadScale, selectorOf: selectorText },
};
