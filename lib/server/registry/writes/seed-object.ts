import { sortedSet, type FieldSet } from '../../../meta/fields/field-set.ts';
import { randomUuid } from '../../../kernel/time/random.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { isRecord, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import { timestampOf } from '../rules/duration.ts';
import { SERVER_MANAGER } from './track-fields.ts';
import { storageFailure } from './storage-failures.ts';
import { objectKey, type StoreParts } from './store-parts.ts';

/** Stores an object of the server itself as `seededObject` makes it. @throws {ApiError} 409. */
export async function seedObject(parts: StoreParts, object: UnstructuredObject): Promise<void> {
  const { runtime, storage, kind } = parts;
  const { namespace = '', name = '' } = object.metadata ?? {};
  const seeded = seededObject(object, timestampOf(runtime.wallMs()), runtime);
  try {
    await storage.create(objectKey(parts, namespace, name), seeded);
  } catch (error) {
    throw storageFailure(error, 'create', kind.describe, name);
  }
}

/**
 * An object of the server itself with uid, time of creation and managed fields; the rest as it is. If the managed fields are not
 * given, its metadata, `spec` and `aggregationRule` may have fields, `status` is owned by no one, and every other field has one owner
 * as a whole.
 */
export function seededObject(
  object: UnstructuredObject,
  now: string,
  runtime: Runtime,
  fields: JsonRecord = fieldsOf(object),
): UnstructuredObject {
  // In the order of the storage, which then copies nothing to sort it.
  const entry = {
    apiVersion: object.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: sortedSet(fields as FieldSet),
    manager: SERVER_MANAGER,
    operation: 'Update',
    time: now,
  };
  const { annotations, generation, labels, ...names } = object.metadata ?? {};
  const metadata = {
    annotations,
    creationTimestamp: now,
    generation,
    labels,
    managedFields: [entry],
    ...names,
    uid: randomUuid(runtime),
  };
  return { ...object, metadata };
}

function fieldsOf(object: UnstructuredObject): JsonRecord {
  const { apiVersion: _a, kind: _k, metadata, status: _s, ...rest } = object;
  const fields: JsonRecord = {};
  const ofMetadata: JsonRecord = {};
  for (const name of ['annotations', 'labels'] as const) {
    const value = metadata?.[name];
    if (value !== undefined) ofMetadata[`f:${name}`] = { '.': {}, ...keysOf(value) };
  }
  if (Object.keys(ofMetadata).length > 0) fields['f:metadata'] = ofMetadata;
  for (const [name, value] of Object.entries(rest)) {
    if (value !== null) setOwn(fields, `f:${name}`, fieldsBelow(name, value));
  }
  return fields;
}

function fieldsBelow(name: string, value: unknown): JsonRecord {
  if (name === 'spec') return keysOf(value);
  return name === 'aggregationRule' ? { '.': {}, ...keysOf(value) } : {};
}

function keysOf(value: unknown): JsonRecord {
  const keys = isRecord(value) ? Object.keys(value) : [];
  return Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
}
