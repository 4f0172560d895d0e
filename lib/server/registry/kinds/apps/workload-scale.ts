import { labelSelectorFromSpec } from '../../../../meta/label-selector.ts';
import type { KubernetesObject } from '../../../../meta/object.ts';
import type { ScaleDefinition } from '../../contract/kind-definition.ts';
import { recordAt } from '../../rules/json-value.ts';

/** The label selector of a workload as text; empty when there is none or it is invalid. */
function selectorText(object: KubernetesObject): string {
  const selector = recordAt(object, 'spec', 'selector');
  if (selector === undefined) return '';
  try {
    return labelSelectorFromSpec(selector).toString();
  } catch {
    return '';
  }
}

export const workloadScale: ScaleDefinition = {
  specReplicasPath: ['spec', 'replicas'],
  statusReplicasPath: ['status', 'replicas'],
  selectorOf: selectorText,
};
