import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldImmutable,
  fieldInvalid,
  fieldNonNegative,
  fieldRequired,
  fieldTooLong,
} from './field-causes.ts';
import { goSyntax, nonPrintable } from './go-text.ts';
import { recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { MutableMetadata, MutableObject } from './mutable-object.ts';
import { dnsLabel, isLonger, labelValue, qualifiedName, type Format } from './name-forms.ts';
import { maskTrailingDash } from './name-validation.ts';

/** Maximum size of all annotation keys and values of an object. See apimachinery api/validation/objectmeta.go @ v0.36.3. */
export const LARGEST_ANNOTATIONS_BYTES: number = 256 * 1024;

const LONGEST_MANAGER = 128;
const LONGEST_SUBRESOURCE = 256;

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Finalizers without a slash that the built-in kinds may have. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);

export interface MetadataForm {
  readonly namespaced: boolean;
  readonly nameProblems: Format;
  /** Whether finalizers need a slash in their names, unless they are Kubernetes' own. @defaultValue false */
  readonly kubeFinalizers?: boolean;
}

/** Checks the metadata of an object. */
export function validateMetadata({ metadata }: MutableObject, form: MetadataForm): FieldCause[] {
  const causes: FieldCause[] = [];
  checkName(causes, metadata, form.nameProblems);
  checkNamespace(causes, metadata, form.namespaced);
  const { generation = 0, finalizers } = metadata;
  if (generation < 0) causes.push(fieldNonNegative('metadata.generation', generation));
  checkContents(causes, metadata);
  if (finalizers !== undefined) {
    checkFinalizers(causes, finalizers);
    if (form.kubeFinalizers === true) {
      causes.push(...kubeFinalizerCauses('metadata.finalizers', finalizers));
    }
  }
  checkManagedFields(causes, metadata);
  return causes;
}

function addAll(causes: FieldCause[], field: string, value: string, form: Format): void {
  for (const problem of form(value)) causes.push(fieldInvalid(field, value, problem));
}

function checkName(causes: FieldCause[], metadata: MutableMetadata, nameProblems: Format): void {
  const { name = '', generateName = '' } = metadata;
  if (generateName !== '') {
    for (const problem of nameProblems(maskTrailingDash(generateName))) {
      causes.push(fieldInvalid('metadata.generateName', generateName, problem));
    }
  }
  if (name === '') {
    causes.push(fieldRequired('metadata.name', 'name or generateName is required'));
  } else addAll(causes, 'metadata.name', name, nameProblems);
}

function checkNamespace(
  causes: FieldCause[],
  { namespace = '' }: MutableMetadata,
  namespaced: boolean,
): void {
  if (!namespaced) {
    if (namespace !== '') {
      causes.push(fieldForbidden('metadata.namespace', 'not allowed on this type'));
    }
  } else if (namespace === '') causes.push(fieldRequired('metadata.namespace'));
  else addAll(causes, 'metadata.namespace', namespace, dnsLabel);
}

/** Labels, annotations and owners, which are checked at a creation and again at each update. */
function checkContents(causes: FieldCause[], metadata: MutableMetadata): void {
  if (metadata.labels !== undefined) {
    causes.push(...validateLabels('metadata.labels', metadata.labels));
  }
  if (metadata.annotations !== undefined) checkAnnotations(causes, metadata.annotations);
  if (metadata['ownerReferences'] !== undefined) checkOwners(causes, metadata);
}

/** Checks keys and values of a label map. */
export function validateLabels(
  field: string,
  labels: Readonly<Record<string, string>> | undefined,
): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    addAll(causes, field, key, qualifiedName);
    addAll(causes, field, value, labelValue);
  }
  return causes;
}

function checkAnnotations(
  causes: FieldCause[],
  annotations: Readonly<Record<string, string>>,
): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const problem of qualifiedName(key.toLowerCase())) {
      causes.push(fieldInvalid('metadata.annotations', key, problem));
    }
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > LARGEST_ANNOTATIONS_BYTES) {
    causes.push(fieldTooLong('metadata.annotations', LARGEST_ANNOTATIONS_BYTES, 'bytes'));
  }
}

function checkOwners(causes: FieldCause[], metadata: MutableMetadata): void {
  const field = 'metadata.ownerReferences';
  const owners = recordsAt(metadata, 'ownerReferences');
  let controller = '';
  for (const [index, owner] of owners.entries()) {
    const place = `${field}[${index}]`;
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) {
      const text = textAt(owner, name);
      if (text === '') causes.push(fieldRequired(`${place}.${name}`, 'must not be empty'));
      else if (name === 'apiVersion' && versionOf(text) === '') {
        const detail = 'must be <group>/<version> or <version>';
        causes.push(fieldInvalid(`${place}.${name}`, text, detail));
      }
    }
    if (isEvent(owner)) {
      causes.push(fieldInvalid(place, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] !== true) continue;
    const own = `${textAt(owner, 'kind')}/${textAt(owner, 'name')}`;
    if (controller !== '') {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${own}`;
      causes.push(fieldInvalid(field, owners, detail));
    } else controller = own;
  }
}

/** The version of an apiVersion; empty when it cannot be read. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.at(-1) as string);
}

function isEvent(owner: JsonRecord): boolean {
  const apiVersion = textAt(owner, 'apiVersion');
  return owner['kind'] === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1');
}

function checkFinalizers(causes: FieldCause[], finalizers: readonly string[]): void {
  for (const finalizer of finalizers) {
    addAll(causes, 'metadata.finalizers', finalizer, qualifiedName);
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const problem = 'finalizer orphan and foregroundDeletion cannot be both set';
    causes.push(fieldInvalid('metadata.finalizers', finalizers, problem));
  }
}

/**
 * The rule of the built-in kinds for finalizers without a slash.
 * @see kubernetes pkg/apis/core/validation/validation.go validateKubeFinalizerName @ v1.36.3
 */
export function kubeFinalizerCauses(
  field: string,
  finalizers: readonly string[] | undefined,
): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) continue;
    const problem = 'name is neither a standard finalizer name nor is it fully qualified';
    causes.push(fieldInvalid(`${field}[${index}]`, finalizer, problem));
  }
  return causes;
}

function checkManagedFields(causes: FieldCause[], metadata: MutableMetadata): void {
  const managed = metadata['managedFields'];
  if (!Array.isArray(managed)) return;
  for (const [index, entry] of (managed as readonly JsonRecord[]).entries()) {
    const field = `metadata.managedFields[${index}]`;
    const { operation, fieldsType = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') {
      causes.push(fieldInvalid(`${field}.operation`, operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      causes.push(fieldInvalid(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    }
    causes.push(...managerCauses(`${field}.manager`, textAt(entry, 'manager')));
    if (isLonger(textAt(entry, 'subresource'), LONGEST_SUBRESOURCE)) {
      causes.push(fieldTooLong(`${field}.subresource`, LONGEST_SUBRESOURCE, 'bytes'));
    }
  }
}

/** Checks the name of a field manager: its length, and that it can be printed. */
export function managerCauses(field: string, manager: string): FieldCause[] {
  const causes: FieldCause[] = [];
  if (isLonger(manager, LONGEST_MANAGER)) {
    causes.push(fieldTooLong(field, LONGEST_MANAGER, 'bytes'));
  }
  for (const { code, position } of nonPrintable(manager)) {
    const detail = `invalid character ${code} (at position ${position})`;
    causes.push(fieldInvalid(field, manager, detail));
  }
  return causes;
}

/** Checks the metadata of an update, after the fields that clients cannot change were restored. */
export function validateMetadataUpdate(
  { metadata }: MutableObject,
  { metadata: existing }: MutableObject,
  kubeFinalizers: boolean = false,
): FieldCause[] {
  const causes: FieldCause[] = [];
  if (existing.deletionTimestamp !== undefined) {
    const known = new Set(existing.finalizers);
    const added = (metadata.finalizers ?? []).filter((one) => !known.has(one));
    if (added.length > 0) {
      const list = goSyntax([...new Set(added)].toSorted());
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      causes.push(fieldForbidden('metadata.finalizers', detail));
    }
  }
  for (const name of IMMUTABLE) {
    if (metadata[name] !== existing[name]) {
      causes.push(fieldImmutable(`metadata.${name}`, metadata[name]));
    }
  }
  checkContents(causes, metadata);
  checkManagedFields(causes, metadata);
  if (kubeFinalizers) {
    causes.push(...kubeFinalizerCauses('metadata.finalizers', metadata.finalizers));
  }
  return causes;
}
