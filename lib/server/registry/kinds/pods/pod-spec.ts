import type { FieldCause } from '../../../../meta/failures.ts';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../rules/field-causes.ts';
import { recordsAt, textAt, type JsonRecord } from '../../rules/json-value.ts';
import { dnsLabelProblem } from '../../rules/name-validation.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;

export function validatePodSpec(
  spec: JsonRecord | undefined,
  field: string,
  restartPolicies: readonly string[] = RESTART_POLICIES,
): FieldCause[] {
  if (spec === undefined) return [fieldRequired(field)];
  const causes: FieldCause[] = [];
  const containers = recordsAt(spec, 'containers');
  if (containers.length === 0) causes.push(fieldRequired(`${field}.containers`));
  const names = new Set<string>();
  for (const list of ['initContainers', 'containers']) {
    for (const [index, container] of recordsAt(spec, list).entries()) {
      causes.push(...validateContainer(container, `${field}.${list}[${index}]`, names));
    }
  }
  const policy = textAt(spec, 'restartPolicy');
  if (!restartPolicies.includes(policy)) {
    causes.push(fieldNotSupported(`${field}.restartPolicy`, policy, restartPolicies));
  }
  return causes;
}

function validateContainer(container: JsonRecord, field: string, names: Set<string>): FieldCause[] {
  const causes: FieldCause[] = [];
  const name = textAt(container, 'name');
  const problem = name === '' ? undefined : dnsLabelProblem(name);
  if (name === '') causes.push(fieldRequired(`${field}.name`));
  else if (problem !== undefined) causes.push(fieldInvalid(`${field}.name`, name, problem));
  else if (names.has(name)) causes.push(fieldDuplicate(`${field}.name`, name));
  names.add(name);
  if (textAt(container, 'image') === '') causes.push(fieldRequired(`${field}.image`));
  return causes;
}
