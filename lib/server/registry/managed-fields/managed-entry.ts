import { isFieldSet, NO_FIELDS, sortedSet, type FieldSet } from '../../../meta/fields/field-set.ts';
import { isRecord, type JsonRecord } from '../../../meta/json-value.ts';

/** One entry of `metadata.managedFields`: who set which fields, and how. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339, whole seconds; undefined when nothing was changed. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The fields in the order in which they are written. Set for an entry of a stored object: they are its `fields` until these change. */
  readonly inOrder?: FieldSet | undefined;
}

/** Text that is the same for all writes that share an entry. Applies of all versions do. */
export function entryKey({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/**
 * The entries by their keys; undefined when the value is not what an API server writes.
 * @param isStored Whether the value is of a stored object, so that its fields are in order. @defaultValue false
 */
export function decodeEntries(
  value: unknown,
  isStored: boolean = false,
): Map<string, ManagedEntry> | undefined {
  if (value === undefined || value === null) return new Map();
  if (!Array.isArray(value)) return undefined;
  const entries = new Map<string, ManagedEntry>();
  for (const item of value as unknown[]) {
    const entry = decodeEntry(item, isStored);
    if (entry === undefined) return undefined;
    entries.set(entryKey(entry), entry);
  }
  return entries;
}

function decodeEntry(value: unknown, isStored: boolean): ManagedEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { manager = '', operation, apiVersion, subresource = '', time, fieldsType } = value;
  const fields = value['fieldsV1'] ?? NO_FIELDS;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') {
    return undefined;
  }
  if (typeof manager !== 'string' || typeof subresource !== 'string' || !isFieldSet(fields)) {
    return undefined;
  }
  const written = typeof time === 'string' ? time : undefined;
  const inOrder = isStored ? fields : undefined;
  return { manager, operation, apiVersion, subresource, time: written, fields, inOrder };
}

/** The value of `metadata.managedFields`, in the order of an API server; undefined when there is no entry. */
export function encodeEntries(
  entries: ReadonlyMap<string, ManagedEntry>,
): JsonRecord[] | undefined {
  if (entries.size === 0) return undefined;
  return [...entries.values()]
    .toSorted(inOrder)
    .map((entry) =>
      encodeEntry(entry, entry.inOrder === entry.fields ? entry.fields : sortedSet(entry.fields)),
    );
}

/** One entry, with its members in the order in which they are written. @param fieldsV1 Its fields in order. */
export function encodeEntry(entry: ManagedEntry, fieldsV1: FieldSet): JsonRecord {
  const { manager, operation, apiVersion, subresource, time } = entry;
  const fieldsType = 'FieldsV1';
  const result: JsonRecord = { apiVersion, fieldsType, fieldsV1, manager, operation };
  if (subresource !== '') result['subresource'] = subresource;
  if (time !== undefined) result['time'] = time;
  return result;
}

function inOrder(one: ManagedEntry, other: ManagedEntry): number {
  return (
    compareText(one.operation, other.operation) ||
    secondsOf(one) - secondsOf(other) ||
    compareText(one.manager, other.manager) ||
    compareText(one.apiVersion, other.apiVersion) ||
    compareText(one.subresource, other.subresource)
  );
}

function secondsOf({ time }: ManagedEntry): number {
  const ms = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Most entries of updates in one object. */
const MOST_UPDATE_ENTRIES = 10;
const ANCIENT = 'ancient-changes';

/**
 * Joins the oldest entries of updates, so that their number stays within a bound.
 * @see apimachinery pkg/util/managedfields/internal/capmanagers.go @ v0.36.3
 */
export function capUpdateEntries(
  entries: Map<string, ManagedEntry>,
  join: (one: FieldSet, other: FieldSet) => FieldSet,
): void {
  const updates = [...entries].filter(([, { operation }]) => operation === 'Update');
  if (updates.length <= MOST_UPDATE_ENTRIES) return;
  updates.sort(
    ([key, one], [otherKey, other]) =>
      secondsOf(one) - secondsOf(other) || compareText(key, otherKey),
  );
  const firstOf = new Map<string, string>();
  let count = updates.length;
  for (const [key, entry] of updates) {
    if (count <= MOST_UPDATE_ENTRIES) break;
    const first = firstOf.get(entry.apiVersion);
    if (first === undefined) {
      firstOf.set(entry.apiVersion, key);
      continue;
    }
    const bucket: ManagedEntry = { ...entry, manager: ANCIENT, subresource: '' };
    const bucketKey = entryKey(bucket);
    const before = entries.get(bucketKey) ?? entries.get(first);
    if (!entries.has(bucketKey)) entries.delete(first);
    entries.delete(key);
    entries.set(bucketKey, { ...bucket, fields: join(entry.fields, before?.fields ?? NO_FIELDS) });
    count -= 1;
  }
}

/** The group of an apiVersion; empty for core. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}
