import { randomUuid } from '../../../kernel/time/random.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { isRecord, setOwn, type JsonRecord } from '../rules/json-value.ts';
import { timestampOf } from '../rules/duration.ts';
import { SERVER_MANAGER } from './track-fields.ts';
import { storageFailure } from './storage-failures.ts';
import { objectKey, type StoreParts } from './store-parts.ts';

/**
 * Stores an object of the server itself as it is, with uid, time of creation and managed fields. Only its metadata may have fields
 * below fields: every other field has one owner as a whole, or is a struct of such.
 * @throws {ApiError} 409.
 */
export async function seedObject(parts: StoreParts, object: UnstructuredObject): Promise<void> {
  const { runtime, storage, kind, apiVersion } = parts;
  const { namespace = '', name = '' } = object.metadata ?? {};
  const now = timestampOf(runtime.wallMs());
  // In the order of the storage, which then copies nothing to sort it.
  const entry = {
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsOf(object),
    manager: SERVER_MANAGER,
    operation: 'Update',
    time: now,
  };
  const { annotations, labels, ...names } = object.metadata ?? {};
  const metadata = {
    annotations,
    creationTimestamp: now,
    labels,
    managedFields: [entry],
    ...names,
    uid: randomUuid(runtime),
  };
  try {
    await storage.create(objectKey(parts, namespace, name), { ...object, metadata });
  } catch (error) {
    throw storageFailure(error, 'create', kind.describe, name);
  }
}

/** Structs whose fields have owners of their own. */
const STRUCTS: ReadonlySet<string> = new Set(['aggregationRule']);

/** All servers of a process are seeded with the same objects. */
const known = new WeakMap<UnstructuredObject, JsonRecord>();

function fieldsOf(object: UnstructuredObject): JsonRecord {
  let fields = known.get(object);
  if (fields === undefined) {
    fields = fieldsIn(object);
    known.set(object, fields);
  }
  return fields;
}

function fieldsIn({ apiVersion: _a, kind: _k, metadata, ...rest }: UnstructuredObject): JsonRecord {
  const fields: JsonRecord = {
    'f:metadata': {
      'f:annotations': keysOf(metadata?.annotations),
      'f:labels': keysOf(metadata?.labels),
    },
  };
  for (const [name, value] of Object.entries(rest)) {
    if (value !== null) setOwn(fields, `f:${name}`, STRUCTS.has(name) ? keysOf(value) : {});
  }
  return fields;
}

function keysOf(value: unknown): JsonRecord {
  const keys = isRecord(value) ? Object.keys(value) : [];
  return { '.': {}, ...Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) };
}
