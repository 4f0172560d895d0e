import type { FieldCause } from '../../../meta/failure/failures.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { fieldInvalid, fieldRequired } from '../../registry/rules/field-causes.ts';
import { isRecord, type JsonRecord } from '../../../meta/json-value.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import { pathSegment } from '../../registry/rules/name-forms.ts';
import { validateMetadata } from '../../registry/rules/object-validation.ts';
import { DecodeProblems, TypedDecodeError } from '../../registry/typed/decode-problems.ts';
import { TypeReaders, type TypeReader } from '../../registry/typed/type-reader.ts';
import { dns1035Label } from '../../registry/validation/formats.ts';
import type { SchemaNode } from './schema-node.ts';

let reader: TypeReader | undefined;

/**
 * Metadata as Go's type has it: without unknown fields and fields that are not set.
 * @throws {TypedDecodeError} for a value of a wrong type.
 */
export function readMetadata(metadata: unknown, problems: DecodeProblems): JsonRecord {
  if (metadata === null || metadata === undefined) return {};
  if (!isRecord(metadata)) {
    const kind = Array.isArray(metadata)
      ? 'array'
      : typeof metadata === 'boolean'
        ? 'bool'
        : typeof metadata;
    throw new TypedDecodeError(
      `json: cannot unmarshal ${kind} into Go value of type v1.ObjectMeta`,
    );
  }
  reader ??= new TypeReaders(new Map()).ofMessage(builtInTypes().get('meta.ObjectMeta'));
  const read = reader.read(metadata, problems);
  problems.end();
  return read;
}

export interface CoerceOptions {
  readonly path?: string;
  readonly onUnknown?: ((path: string) => void) | undefined;
}

/**
 * Reads types and metadata of embedded objects. Changes the value.
 * @returns a member of a wrong type; nothing behind it is read
 * @see apiextensions-apiserver pkg/apiserver/schema/objectmeta/coerce.go @ v0.36.3
 */
export function coerceEmbedded(
  value: unknown,
  node: SchemaNode | undefined,
  { path = '', onUnknown }: CoerceOptions,
): FieldCause | undefined {
  if (node === undefined || (!node.deep.embedded && !node.embedded)) return undefined;
  if (isRecord(value) && node.embedded) {
    const wrong = coerceMembers(value, path, onUnknown);
    if (wrong !== undefined) return wrong;
  }
  for (const [inner, schema, place] of childrenOf(value, node, path)) {
    const wrong = coerceEmbedded(inner, schema, { path: place, onUnknown });
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function coerceMembers(
  value: JsonRecord,
  path: string,
  onUnknown: CoerceOptions['onUnknown'],
): FieldCause | undefined {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, name) || typeof value[name] === 'string') continue;
    return fieldInvalid(child(path, name), value[name], 'must be a string');
  }
  if (!Object.hasOwn(value, 'metadata')) return undefined;
  const at = child(path, 'metadata');
  const problems = new DecodeProblems();
  try {
    const metadata = readMetadata(value['metadata'], problems);
    if (metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
    value['metadata'] = metadata;
  } catch (error) {
    if (!(error instanceof TypedDecodeError)) throw error;
    return fieldInvalid(at, value['metadata'], error.message);
  }
  for (const field of problems.unknownFields) onUnknown?.(`${at}.${field}`);
  return undefined;
}

/**
 * The causes why embedded objects are no objects of Kubernetes.
 * @see apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go @ v0.36.3
 */
export function embeddedCauses(
  value: unknown,
  node: SchemaNode | undefined,
  path: string = '',
): FieldCause[] {
  if (node === undefined || (!node.deep.embedded && !node.embedded)) return [];
  const causes = isRecord(value) && node.embedded ? objectCauses(value, path) : [];
  for (const [inner, schema, place] of childrenOf(value, node, path)) {
    causes.push(...embeddedCauses(inner, schema, place));
  }
  return causes;
}

function objectCauses(value: JsonRecord, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, name)) causes.push(fieldRequired(child(path, name)));
  }
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion === 'string') {
    const problem = apiVersionProblem(apiVersion);
    if (problem !== undefined)
      causes.push(fieldInvalid(child(path, 'apiVersion'), apiVersion, problem));
  }
  if (typeof kind === 'string') {
    const faults = dns1035Label(kind.toLowerCase()).join(',');
    const mixed = `may have mixed case, but should otherwise match: ${faults}`;
    const problem = kind === '' ? 'must not be empty' : faults === '' ? undefined : mixed;
    if (problem !== undefined) causes.push(fieldInvalid(child(path, 'kind'), kind, problem));
  }
  if (!isRecord(metadata)) return causes;
  const name = metadata['name'] === '' ? 'fakename' : (metadata['name'] ?? 'fakename');
  const object = { metadata: { ...metadata, name } } as MutableObject;
  const namespaced = (object.metadata.namespace ?? '') !== '';
  const found = validateMetadata(object, { namespaced, nameProblems: pathSegment });
  return [
    ...causes,
    ...found.map((cause) => ({ ...cause, field: child(path, cause.field ?? '') })),
  ];
}

function apiVersionProblem(apiVersion: string): string | undefined {
  if (apiVersion === '') return 'must not be empty';
  return apiVersion.split('/').length > 2
    ? `unexpected GroupVersion string: ${apiVersion}`
    : undefined;
}

function* childrenOf(
  value: unknown,
  { properties, additional, items }: SchemaNode,
  path: string,
): Generator<readonly [unknown, SchemaNode | undefined, string]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield [item, items, `${path}[${index}]`];
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const property = properties.get(name);
      if (property !== undefined) yield [value[name], property, child(path, name)];
      else if (additional !== undefined) yield [value[name], additional, `${path}[${name}]`];
    }
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
