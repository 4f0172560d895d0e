import type { FieldCause } from '../../../../meta/failures.ts';
import { fieldInvalid } from '../../rules/field-causes.ts';
import { numberAt, valueAt } from '../../rules/json-value.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

/** Numbers of the status that may not be negative. */
export function negativeCauses(object: MutableObject, names: readonly string[]): FieldCause[] {
  return names.flatMap((name) => {
    const value = valueAt(object, 'status', name);
    if (typeof value !== 'number' || value >= 0) return [];
    return [fieldInvalid(`status.${name}`, value, 'must be greater than or equal to 0')];
  });
}

/** Numbers of replicas that may not exceed `status.replicas`, and the rest of the rules that workloads share. */
export function replicaCauses(
  object: MutableObject,
  counted: readonly string[],
  { others, ready }: { readonly others: readonly string[]; readonly ready: string },
): FieldCause[] {
  const count = (name: string): number => numberAt(object, 'status', name);
  const causes = negativeCauses(object, ['replicas', ...counted, ...others]);
  for (const name of counted) {
    if (count(name) <= count('replicas')) continue;
    const rule = 'cannot be greater than status.replicas';
    causes.push(fieldInvalid(`status.${name}`, count(name), rule));
  }
  if (count('availableReplicas') > count('readyReplicas')) {
    const rule = `cannot be greater than ${ready}`;
    causes.push(fieldInvalid('status.availableReplicas', count('availableReplicas'), rule));
  }
  return causes;
}
