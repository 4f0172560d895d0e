import type { FieldCause } from '../../../meta/failures.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { UpdateStrategy } from '../contract/strategy.ts';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
} from '../rules/field-causes.ts';
import { jsonEqual, recordAt, recordsAt, textAt, type JsonRecord } from '../rules/json-value.ts';
import { dnsLabelProblem } from '../rules/name-validation.ts';
import { keepAllBut } from './kept-fields.ts';

const FIELD = 'spec.ephemeralContainers';

/** Fields that an ephemeral container may not have. See pkg/apis/core/validation allowedEphemeralContainerFields @ 24a394e. */
const NOT_ALLOWED = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/** `pods/NAME/ephemeralcontainers` adds containers for debugging; it changes nothing else. */
export const ephemeralContainersStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(pod, existing) {
    const containers = recordAt(pod, 'spec')?.['ephemeralContainers'];
    keepAllBut(pod, existing, { ephemeralContainers: containers });
    if (!jsonEqual(pod['spec'], existing['spec'])) {
      pod.metadata.generation = (existing.metadata.generation ?? 0) + 1;
    }
  },
  validateUpdate(pod, existing) {
    return [...containerCauses(pod), ...changeCauses(pod, existing)];
  },
};

function containerCauses(pod: MutableObject): FieldCause[] {
  const others = ['containers', 'initContainers']
    .flatMap((list) => recordsAt(pod, 'spec', list))
    .map((container) => textAt(container, 'name'));
  const names = new Set(others);
  const causes: FieldCause[] = [];
  for (const [index, container] of recordsAt(pod, 'spec', 'ephemeralContainers').entries()) {
    const field = `${FIELD}[${index}]`;
    const name = textAt(container, 'name');
    causes.push(...nameCauses(name, `${field}.name`, names));
    if (textAt(container, 'image') === '') causes.push(fieldRequired(`${field}.image`));
    names.add(name);
    const target = textAt(container, 'targetContainerName');
    if (target !== '' && !others.includes(target)) {
      causes.push(fieldNotFound(`${field}.targetContainerName`, target));
    }
    causes.push(...forbiddenFields(container, field));
  }
  return causes;
}

function nameCauses(name: string, field: string, taken: ReadonlySet<string>): FieldCause[] {
  if (name === '') return [fieldRequired(field)];
  const problem = dnsLabelProblem(name);
  if (problem !== undefined) return [fieldInvalid(field, name, problem)];
  return taken.has(name) ? [fieldDuplicate(field, name)] : [];
}

function forbiddenFields(container: JsonRecord, field: string): FieldCause[] {
  const text = 'cannot be set for an Ephemeral Container';
  const causes = NOT_ALLOWED.filter((name) => isSet(container[name])).map((name) =>
    fieldForbidden(`${field}.${name}`, text),
  );
  for (const [index, mount] of recordsAt(container, 'volumeMounts').entries()) {
    for (const name of ['subPath', 'subPathExpr']) {
      if (textAt(mount, name) !== '') {
        causes.push(fieldForbidden(`${field}.volumeMounts[${index}].${name}`, text));
      }
    }
  }
  return causes;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Ephemeral containers can be added, but neither changed nor removed. The order does not matter, because patches change it. */
function changeCauses(pod: MutableObject, existing: MutableObject): FieldCause[] {
  const present = recordsAt(pod, 'spec', 'ephemeralContainers');
  return recordsAt(existing, 'spec', 'ephemeralContainers').flatMap((old) => {
    const name = textAt(old, 'name');
    const subject = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    const found = present.find((one) => textAt(one, 'name') === name);
    if (found === undefined) return [fieldForbidden(FIELD, `${subject} removed\n`)];
    return jsonEqual(found, old) ? [] : [fieldForbidden(FIELD, `${subject} changed\n`)];
  });
}
