import type { FieldCause } from '../../../meta/failures.ts';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldImmutable,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from './field-causes.ts';
import { recordsAt, textAt } from './json-value.ts';
import type { MutableMetadata, MutableObject } from './mutable-object.ts';
import {
  dnsLabelProblem,
  labelValueProblem,
  maskTrailingDash,
  pathSegmentProblem,
  qualifiedNameProblem,
  type NameRule,
} from './name-validation.ts';

/** Maximum size of all annotation keys and values of an object. See apimachinery api/validation/objectmeta.go @ eed236c. */
export const LARGEST_ANNOTATIONS_BYTES: number = 256 * 1024;

const IMMUTABLE = ['name', 'namespace', 'uid', 'creationTimestamp'] as const;

/** Checks the metadata of a new object. */
export function validateMetadata(
  { metadata }: MutableObject,
  { namespaced, nameProblem }: { readonly namespaced: boolean; readonly nameProblem: NameRule },
): FieldCause[] {
  return [
    ...validateName(metadata, nameProblem),
    ...validateNamespace(metadata, namespaced),
    ...validateLabels('metadata.labels', metadata.labels),
    ...validateAnnotations(metadata),
    ...validateFinalizers(metadata),
    ...validateOwners(metadata),
  ];
}

function validateName(metadata: MutableMetadata, nameProblem: NameRule): FieldCause[] {
  const causes: FieldCause[] = [];
  const { name = '', generateName = '' } = metadata;
  if (generateName !== '') {
    const problem = nameProblem(maskTrailingDash(generateName));
    if (problem !== undefined) {
      causes.push(fieldInvalid('metadata.generateName', generateName, problem));
    }
  }
  if (name === '') {
    causes.push(fieldRequired('metadata.name', 'name or generateName is required'));
  } else {
    const problem = nameProblem(name) ?? pathSegmentProblem(name);
    if (problem !== undefined) causes.push(fieldInvalid('metadata.name', name, problem));
  }
  return causes;
}

function validateNamespace({ namespace = '' }: MutableMetadata, namespaced: boolean): FieldCause[] {
  if (!namespaced) {
    if (namespace === '') return [];
    return [fieldForbidden('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === '') return [fieldRequired('metadata.namespace')];
  const problem = dnsLabelProblem(namespace);
  return problem === undefined ? [] : [fieldInvalid('metadata.namespace', namespace, problem)];
}

/** Checks keys and values of a label map. */
export function validateLabels(
  field: string,
  labels: Readonly<Record<string, string>> | undefined,
): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    const keyProblem = qualifiedNameProblem(key);
    if (keyProblem !== undefined) causes.push(fieldInvalid(field, key, keyProblem));
    const valueProblem = labelValueProblem(value);
    if (valueProblem !== undefined) causes.push(fieldInvalid(field, value, valueProblem));
  }
  return causes;
}

function validateAnnotations({ annotations }: MutableMetadata): FieldCause[] {
  const causes: FieldCause[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    const problem = qualifiedNameProblem(key.toLowerCase());
    if (problem !== undefined) causes.push(fieldInvalid('metadata.annotations', key, problem));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > LARGEST_ANNOTATIONS_BYTES) {
    causes.push(fieldTooLong('metadata.annotations', LARGEST_ANNOTATIONS_BYTES, 'bytes'));
  }
  return causes;
}

function validateFinalizers({ finalizers = [] }: MutableMetadata): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const finalizer of finalizers) {
    const problem = qualifiedNameProblem(finalizer);
    if (problem !== undefined) {
      causes.push(fieldInvalid('metadata.finalizers', finalizer, problem));
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const problem = 'orphan and foregroundDeletion cannot be both set';
    causes.push(fieldInvalid('metadata.finalizers', finalizers, problem));
  }
  return causes;
}

function validateOwners(metadata: MutableMetadata): FieldCause[] {
  const causes: FieldCause[] = [];
  let controllers = 0;
  for (const [index, owner] of recordsAt(metadata, 'ownerReferences').entries()) {
    const field = `metadata.ownerReferences[${index}]`;
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) {
      if (textAt(owner, name) === '') causes.push(fieldRequired(`${field}.${name}`));
    }
    if (owner['controller'] === true) controllers += 1;
  }
  if (controllers > 1) {
    const detail = 'Only one reference can have Controller set to true';
    causes.push(fieldInvalid('metadata.ownerReferences', controllers, detail));
  }
  return causes;
}

/** Checks the metadata of an update, after the fields that clients cannot change were restored. */
export function validateMetadataUpdate(
  { metadata }: MutableObject,
  { metadata: existing }: MutableObject,
): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const name of IMMUTABLE) {
    if (metadata[name] !== existing[name]) {
      causes.push(fieldImmutable(`metadata.${name}`, metadata[name]));
    }
  }
  if (existing.deletionTimestamp !== undefined) {
    const known = new Set(existing.finalizers);
    const added = (metadata.finalizers ?? []).filter((one) => !known.has(one));
    if (added.length > 0) {
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
      causes.push(fieldForbidden('metadata.finalizers', detail));
    }
  }
  if (hasDuplicates(metadata.finalizers)) {
    causes.push(fieldDuplicate('metadata.finalizers', metadata.finalizers));
  }
  return causes;
}

function hasDuplicates(texts: readonly string[] | undefined): boolean {
  return texts !== undefined && new Set(texts).size !== texts.length;
}
