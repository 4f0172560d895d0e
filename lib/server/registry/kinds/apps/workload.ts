import { validatePodSpec } from '../pods/pod-spec.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import type { FieldCause } from '../../../../meta/failures.ts';
import { labelSelectorFromSpec } from '../../../../meta/label-selector.ts';
import type { KubernetesObject } from '../../../../meta/object.ts';
import { fieldImmutable, fieldInvalid, fieldRequired } from '../../rules/field-causes.ts';
import { jsonEqual, recordAt, valueAt } from '../../rules/json-value.ts';
import type { ScaleDefinition } from '../../contract/kind-definition.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

/** The label selector of a workload as text; empty when there is none or it is invalid. */
export function selectorText(object: KubernetesObject): string {
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

/** Checks the fields that all workloads have: replicas, a selector, and a template that the selector matches. */
export function validateWorkload(object: MutableObject): FieldCause[] {
  const spec = recordAt(object, 'spec');
  if (spec === undefined) return [fieldRequired('spec')];
  return [
    ...validateCount(spec['replicas'], 'spec.replicas'),
    ...validateSelector(object),
    ...validatePodSpec(recordAt(spec, 'template', 'spec'), 'spec.template.spec', ['Always']),
  ];
}

export function validateCount(value: unknown, field: string): FieldCause[] {
  if (value === undefined || value === null) return [];
  if (Number.isInteger(value) && (value as number) >= 0) return [];
  return [fieldInvalid(field, value, 'must be greater than or equal to 0')];
}

function validateSelector(object: MutableObject): FieldCause[] {
  const selector = recordAt(object, 'spec', 'selector');
  if (selector === undefined) return [fieldRequired('spec.selector')];
  if (Object.keys(selector).length === 0) {
    return [fieldInvalid('spec.selector', selector, 'empty selector is invalid for workloads')];
  }
  const labels = (recordAt(object, 'spec', 'template', 'metadata', 'labels') ?? {}) as Record<
    string,
    string
  >;
  try {
    if (labelSelectorFromSpec(selector).matches(labels)) return [];
  } catch (error) {
    return [fieldInvalid('spec.selector', selector, errorMessage(error))];
  }
  const detail = '`selector` does not match template `labels`';
  return [fieldInvalid('spec.template.metadata.labels', labels, detail)];
}

/** The same checks; also, the selector must not change. */
export function validateWorkloadUpdate(
  object: MutableObject,
  existing: MutableObject,
): FieldCause[] {
  const causes = validateWorkload(object);
  const selector = valueAt(object, 'spec', 'selector');
  if (!jsonEqual(selector, valueAt(existing, 'spec', 'selector'))) {
    causes.push(fieldImmutable('spec.selector', selector));
  }
  return causes;
}
