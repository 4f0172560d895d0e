import { sameValue, compareFields } from '../../../meta/fields/compare-fields.ts';
import { fieldSetOf } from '../../../meta/fields/field-set-of.ts';
import {
  difference,
  isEmptySet,
  setsEqual,
  union,
  fieldAt,
  hasElement,
  fieldsBelow,
  type FieldSet,
} from '../../../meta/fields/field-set.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { isRecord, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { applyFields, updateFields, type Entries, type FieldWrite } from './field-updater.ts';
import type { FieldRules } from '../contract/kind-definition.ts';
import {
  capUpdateEntries,
  decodeEntries,
  encodeEntries,
  encodeEntry,
  groupOf,
  entryKey,
  type ManagedEntry,
} from './managed-entry.ts';

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS_OF_SCALE = fieldAt('spec', 'replicas');

/** Where the replicas of a scaled object are. */
export interface ScaledFields {
  readonly group: string;
  /** The apiVersion through which it is scaled. */
  readonly apiVersion: string;
  readonly replicasPath: readonly string[];
}

/**
 * The managed fields of a `Scale`: the managers that have the replicas of the scaled object.
 * @see apimachinery pkg/util/managedfields/scalehandler.go ToSubresource @ v0.36.3
 */
export function fieldsOfScale(
  scaledFields: unknown,
  scaled: ScaledFields,
): JsonRecord[] | undefined {
  const entries = new Map<string, ManagedEntry>();
  for (const entry of (
    decodeEntries(scaledFields, true) ?? new Map<string, ManagedEntry>()
  ).values()) {
    if (!hasReplicas(entry, scaled)) continue;
    const own = { ...entry, apiVersion: SCALE_VERSION, fields: REPLICAS_OF_SCALE };
    entries.set(entryKey(own), own);
  }
  return encodeEntries(entries);
}

/**
 * The managed fields of the scaled object after those of its `Scale` have changed. An entry of an update has another version in the
 * scale, so that the replicas leave it and come as an entry of their own, without a time: as kube-apiserver does it.
 * @see apimachinery pkg/util/managedfields/scalehandler.go ToParent @ v0.36.3
 */
export function fieldsOfScaled(
  scaledFields: unknown,
  scaleFields: unknown,
  scaled: ScaledFields,
): JsonRecord[] | undefined {
  const ofScale = new Map(decodeEntries(scaleFields));
  const result = new Map<string, ManagedEntry>();
  const replicas = fieldAt(...scaled.replicasPath);
  for (const [key, entry] of decodeEntries(scaledFields, true) ?? new Map<string, ManagedEntry>()) {
    if (groupOf(entry.apiVersion) !== scaled.group) continue;
    if (!hasReplicas(entry, scaled) || ofScale.delete(key)) {
      result.set(key, entry);
      continue;
    }
    const fields = difference(entry.fields, replicas);
    if (!isEmptySet(fields)) result.set(key, { ...entry, fields });
  }
  for (const [key, entry] of ofScale) {
    if (!hasField(entry.fields, ['spec', 'replicas'])) continue;
    const { apiVersion } = scaled;
    result.set(key, { ...entry, apiVersion, time: undefined, fields: replicas });
  }
  return encodeEntries(result);
}

function hasReplicas({ apiVersion, fields }: ManagedEntry, scaled: ScaledFields): boolean {
  return groupOf(apiVersion) === scaled.group && hasField(fields, scaled.replicasPath);
}

function hasField(fields: FieldSet, [name, ...rest]: readonly string[]): boolean {
  const element = `f:${name}`;
  if (rest.length === 0) return hasElement(fields, element);
  return hasField(fieldsBelow(fields, element), rest);
}

const KUBECTL = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An object without its managed fields is compared; they would be part of themselves otherwise. */
function withoutManagedFields(object: JsonRecord): JsonRecord {
  const { metadata } = object;
  if (!isRecord(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

export interface FieldUpdate extends FieldWrite {
  /** The object before; for a creation the object without a field set, as the type has it. */
  readonly live: JsonRecord;
  /** Whether clients may replace the managed fields: through the object itself. */
  readonly mayReplace: boolean;
}

/**
 * Sets `metadata.managedFields` of an object that is about to be written by an update. Objects that were stored without managed fields
 * stay without them.
 * @see apimachinery pkg/util/managedfields/internal/fieldmanager.go @ v0.36.3
 */
export function trackUpdate(object: MutableObject, update: FieldUpdate): void {
  const { live, mayReplace } = update;
  const { metadata } = object;
  const given = metadata['managedFields'];
  const before = isRecord(live['metadata']) ? live['metadata']['managedFields'] : undefined;
  const entries = startingEntries(given, before, mayReplace);
  delete metadata['managedFields'];
  const isNew = textAt(live, 'metadata', 'uid') === '';
  if (entries.size === 0 && !isNew) return;
  const started = new Map(entries);
  try {
    updateFields(entries, withoutManagedFields(live), object, update);
  } catch (error) {
    // An object that its schema cannot describe, such as a list with an item without a key, loses its managed fields, as upstream.
    if (!isListwatchError(error, 'FIELD_SCHEMA')) throw error;
    return;
  }
  capUpdateEntries(entries, union);
  metadata['managedFields'] = unchangedButTimes(started, entries)
    ? given === undefined && before !== undefined
      ? asStored(before, started)
      : encodeEntries(started)
    : encodeEntries(entries);
  if (metadata['managedFields'] === undefined) delete metadata['managedFields'];
}

/**
 * Sets `metadata.managedFields` of a new object. An object of the form of an earlier one gets the same fields.
 * @param write Through the object itself.
 */
export function trackNew(
  object: MutableObject,
  { empty, created }: Pick<FieldRules, 'empty' | 'created'>,
  write: FieldWrite,
): void {
  const { metadata } = object;
  if (metadata['managedFields'] !== undefined || write.subresource !== '') {
    trackUpdate(object, { ...write, live: empty, mayReplace: true });
    return;
  }
  delete metadata['managedFields'];
  let fields: FieldSet;
  try {
    fields = created.of(object);
  } catch (error) {
    if (!isListwatchError(error, 'FIELD_SCHEMA')) throw error;
    return;
  }
  if (isEmptySet(fields)) return;
  const { manager, apiVersion, subresource, now: time } = write;
  metadata['managedFields'] = [
    encodeEntry({ manager, operation: 'Update', apiVersion, subresource, time, fields }, fields),
  ];
}

/** A client that does not know managed fields must not delete them by leaving them out; an empty list deletes them. */
function startingEntries(given: unknown, before: unknown, mayReplace: boolean): Entries {
  if (mayReplace) {
    if (isReset(given)) return new Map();
    const entries = decodeEntries(given);
    if (entries !== undefined && entries.size > 0) return entries;
  }
  return decodeEntries(before, true) ?? new Map<string, ManagedEntry>();
}

function isReset(given: unknown): boolean {
  if (!Array.isArray(given)) return false;
  if (given.length === 0) return true;
  const [only] = given as unknown[];
  return given.length === 1 && isRecord(only) && Object.keys(only).length === 0;
}

function unchangedButTimes(before: Entries, after: Entries): boolean {
  if (before.size !== after.size) return false;
  for (const [key, { apiVersion, fields }] of after) {
    const other = before.get(key);
    if (other?.apiVersion !== apiVersion || !setsEqual(other.fields, fields)) return false;
  }
  return true;
}

export interface FieldApply extends FieldWrite {
  readonly force: boolean;
  /** The stored object; for a new one only type, name and namespace. */
  readonly live: JsonRecord;
  /** The object without a field set, as the type has it. */
  readonly empty: JsonRecord;
}

/**
 * The object after a server-side apply, with its managed fields.
 * @throws {ApiError} 409 for fields of other managers; {ListwatchError} code FIELD_SCHEMA.
 */
export function applyConfiguration(applied: JsonRecord, apply: FieldApply): JsonRecord {
  const before = isRecord(apply.live['metadata'])
    ? apply.live['metadata']['managedFields']
    : undefined;
  const live = withoutManagedFields(apply.live);
  const entries = decodeEntries(before, true) ?? new Map<string, ManagedEntry>();
  const started = new Map(entries);
  if (entries.size === 0) {
    updateFields(entries, apply.empty, live, {
      ...apply,
      manager: BEFORE_FIRST_APPLY,
    });
  }
  const next = withUpgrade(entries, live, applied, apply);
  const synced = syncLastApplied(next as JsonRecord, applied, apply.manager);
  const unchanged = sameValue(synced, live) && unchangedButTimes(started, entries);
  return withManagedFields(synced, unchanged ? asStored(before, started) : encodeEntries(entries));
}

/** The stored entries, unless some have the same key, as a scale leaves them: reading them has dropped the earlier ones. */
function asStored(before: unknown, read: Entries): unknown {
  const isRead = Array.isArray(before) && before.length > read.size;
  return isRead ? encodeEntries(read) : before;
}

function withManagedFields(object: JsonRecord, managedFields: unknown): JsonRecord {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  return {
    ...object,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
}

/** Applies; conflicts with fields that kubectl itself set by its client-side apply do not count for kubectl. */
function withUpgrade(
  entries: Entries,
  live: JsonRecord,
  applied: JsonRecord,
  apply: FieldApply,
): unknown {
  const saved = new Map(entries);
  try {
    return applyFields(entries, live, applied, apply);
  } catch (error) {
    if (apply.manager !== KUBECTL || !isApiError(error) || apply.force) throw error;
    const allowed = lastAppliedFields(live, apply);
    if (allowed === undefined) throw error;
    // Without the fields that kubectl applied on the client side there is a conflict with the remaining ones, or none.
    const probe: Entries = new Map();
    for (const [key, entry] of saved) {
      const fields = entryIsOwn(entry, apply) ? entry.fields : difference(entry.fields, allowed);
      probe.set(key, { ...entry, fields });
    }
    applyFields(probe, live, applied, apply);
    entries.clear();
    for (const [key, entry] of saved) entries.set(key, entry);
    return applyFields(entries, live, applied, { ...apply, force: true });
  }
}

/** Fields that kubectl applied to a subresource are not its own here, as upstream. */
function entryIsOwn(
  { manager, operation, subresource }: ManagedEntry,
  write: Pick<FieldWrite, 'subresource'>,
): boolean {
  return manager === KUBECTL && operation === 'Apply' && subresource === write.subresource;
}

/** The fields of the last client-side apply that still have the values it gave them. */
function lastAppliedFields(
  live: JsonRecord,
  { schema, apiVersion }: FieldApply,
): FieldSet | undefined {
  const text = textAt(live, 'metadata', 'annotations', LAST_APPLIED);
  if (text === '') return undefined;
  let last: unknown;
  try {
    last = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(last) || last['apiVersion'] !== apiVersion) return undefined;
  const { modified, added, removed } = compareFields(schema, last, live);
  return [modified, added, removed].reduce(difference, fieldSetOf(schema, last));
}

/** Keeps the annotation of client-side apply up to date when kubectl applies on the server side. */
function syncLastApplied(object: JsonRecord, applied: JsonRecord, manager: string): JsonRecord {
  if (manager !== KUBECTL || textAt(object, 'metadata', 'annotations', LAST_APPLIED) === '') {
    return object;
  }
  const metadata = object['metadata'] as JsonRecord;
  const annotations = {
    ...(metadata['annotations'] as JsonRecord),
    [LAST_APPLIED]: `${goJson(withoutLastApplied(applied))}\n`,
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** JSON as Go writes maps: members in alphabetical order, without the characters of HTML. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value, (_name, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return text.replaceAll(HTML, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}

const HTML = /[<>&]/g;

function withoutLastApplied(applied: JsonRecord): JsonRecord {
  const { metadata } = applied;
  if (!isRecord(metadata) || !isRecord(metadata['annotations'])) return applied;
  const { [LAST_APPLIED]: _, ...annotations } = metadata['annotations'];
  return { ...applied, metadata: { ...metadata, annotations } };
}
