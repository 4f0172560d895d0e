import type { UnstructuredObject } from '../../../meta/object.ts';
import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { qualifiedName } from '../../registry/rules/name-forms.ts';
import { validateLabels } from '../../registry/rules/object-validation.ts';
import { isRecord, jsonEqual, textAt, type JsonRecord } from '../../../meta/json-value.ts';

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/** The part of the identity of an object that a webhook has changed; undefined for none. */
export function changedIdentity(
  before: UnstructuredObject,
  converted: JsonRecord,
): string | undefined {
  for (const [field, name] of IDENTITY) {
    const was = textAt(before, 'metadata', field);
    const is = textAt(converted, 'metadata', field);
    if (was !== is) return `must have the same ${name}: ${was} != ${is}`;
  }
  return undefined;
}

/**
 * The metadata after a conversion: those before it, with the labels and annotations of the converted object; or why they are wrong.
 * @see apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go restoreObjectMeta @ v0.36.3
 */
export function convertedMetadata(
  before: UnstructuredObject,
  converted: JsonRecord,
): JsonRecord | string {
  const given = converted['metadata'];
  if (given === undefined) return 'missing metadata in converted object';
  if (!isRecord(given)) return `invalid metadata of type ${goType(given)} in converted object`;
  const metadata: JsonRecord = { ...before.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const texts = given[field];
    if (texts === undefined || texts === null) {
      delete metadata[field];
      continue;
    }
    const fault = textsFault(field, texts, metadata[field]);
    if (fault !== undefined) return fault;
    metadata[field] = texts;
  }
  return metadata;
}

function textsFault(
  field: 'labels' | 'annotations',
  texts: unknown,
  before: unknown,
): string | undefined {
  if (!isRecord(texts))
    return `invalid metadata.${field} of type ${goType(texts)} in converted object`;
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
  }
  if (jsonEqual(texts, before ?? {})) return undefined;
  const labels = texts as Record<string, string>;
  const causes =
    field === 'labels' ? validateLabels('metadata.labels', labels) : annotationCauses(labels);
  if (causes.length === 0) return undefined;
  const found = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return found.length === 1 ? found[0] : `[${found.join(', ')}]`;
}

function annotationCauses(annotations: Record<string, string>): FieldCause[] {
  return Object.keys(annotations).flatMap((key) =>
    qualifiedName(key.toLowerCase()).map((fault) =>
      fieldInvalid('metadata.annotation', key, fault),
    ),
  );
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
