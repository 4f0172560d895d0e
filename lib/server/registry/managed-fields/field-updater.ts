import { compareFields, sameValue, type Comparison } from '../../../meta/fields/compare-fields.ts';
import type { FieldSchema } from '../../../meta/fields/field-schema.ts';
import { fieldSetOf } from '../../../meta/fields/field-set-of.ts';
import {
  difference,
  fieldAt,
  intersection,
  isEmptySet,
  NO_FIELDS,
  union,
  forEachField,
  type FieldSet,
} from '../../../meta/fields/field-set.ts';
import { mergeFields } from '../../../meta/fields/merge-fields.ts';
import type { FieldVersions } from '../contract/kind-definition.ts';
import { entryKey, type ManagedEntry } from './managed-entry.ts';
import { pruneFields } from './prune-fields.ts';
import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import { pathText } from '../../../meta/fields/list-elements.ts';

/** Fields of another manager that an apply would change. */
interface FieldConflict {
  readonly entry: ManagedEntry;
  readonly fields: FieldSet;
}

/** The 409 of an apply that would take fields from other managers: a cause for each field. */
function applyConflict(conflicts: readonly FieldConflict[]): ApiError {
  const found = conflicts.flatMap(({ entry, fields }) => {
    const paths: string[] = [];
    forEachField(fields, (path) => paths.push(pathText(path)));
    return paths.map((path) => ({ entry, manager: managerText(entry), path }));
  });
  const causes = found.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field: path,
  }));
  return failure('Conflict', conflictMessage(found), { details: { causes } });
}

interface Found {
  readonly entry: ManagedEntry;
  readonly manager: string;
  readonly path: string;
}

/** As JSON, by which kube-apiserver sorts managers. */
function identityOf({ entry }: Found): string {
  const { manager, operation, apiVersion, subresource } = entry;
  return JSON.stringify({
    manager,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource: subresource === '' ? undefined : subresource,
  });
}

function conflictMessage(found: readonly Found[]): string {
  const [first] = found;
  if (found.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.path}`;
  }
  const byManager = new Map<string, Found[]>();
  for (const one of found) {
    const identity = identityOf(one);
    byManager.set(identity, [...(byManager.get(identity) ?? []), one]);
  }
  const lines = [...byManager]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, ofManager]) => [
      `conflicts with ${ofManager[0]?.manager}:`,
      ...ofManager.map(({ path }) => `- ${path}`),
    ]);
  return `Apply failed with ${found.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  const name = JSON.stringify(manager);
  const place =
    subresource === '' ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${place} using ${apiVersion}` : place;
}

/** The writer, and its rules. */
export interface FieldWrite {
  /** Of the version of the write. */
  readonly schema: FieldSchema;
  /** The versions of other managers. */
  readonly versions: FieldVersions;
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The fields that the endpoint can change. Others, such as `status` of the object itself, belong to no manager. */
  readonly filter: FieldFilter;
  /** The time of the write, RFC 3339. */
  readonly now: string;
}

/** Leaves out fields that an endpoint resets. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

export type Entries = Map<string, ManagedEntry>;

/** Fields that the server sets, and that belong to no manager. */
const SERVER_FIELDS: FieldSet = [
  fieldAt('apiVersion'),
  fieldAt('kind'),
  fieldAt('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldAt('metadata', name)),
].reduce(union);

/** How two objects differ in each version in which managers have fields. */
class Changes {
  readonly own: Comparison;
  readonly #live: unknown;
  readonly #next: unknown;
  readonly #write: FieldWrite;
  #others: Map<string, Comparison | undefined> | undefined;

  constructor(live: unknown, next: unknown, write: FieldWrite) {
    this.#live = live;
    this.#next = next;
    this.#write = write;
    this.own = filtered(compareFields(write.schema, live, next), write.filter);
  }

  /** Undefined for a version into which the objects are not converted. @throws {ListwatchError} code FIELD_SCHEMA. */
  in(apiVersion: string): Comparison | undefined {
    if (apiVersion === this.#write.apiVersion) return this.own;
    const others = (this.#others ??= new Map());
    if (!others.has(apiVersion)) others.set(apiVersion, this.#compareIn(apiVersion));
    return others.get(apiVersion);
  }

  #compareIn(apiVersion: string): Comparison | undefined {
    const { versions, apiVersion: from, filter } = this.#write;
    const schema = versions.schemaOf(apiVersion);
    if (schema === undefined) return undefined;
    if (!versions.haveOtherForms) return this.own;
    const [live, next] = [this.#live, this.#next].map((one) =>
      versions.convert(one, from, apiVersion),
    );
    return filtered(compareFields(schema, live, next), filter);
  }
}

/**
 * Takes the fields that differ between two objects from their managers, and gives them to the manager of an update.
 * @throws {ListwatchError} code FIELD_SCHEMA.
 * @see structured-merge-diff merge/update.go Update @ v6.3.3
 */
export function updateFields(
  entries: Entries,
  live: unknown,
  next: unknown,
  write: FieldWrite,
): void {
  const changes = new Changes(live, next, write);
  for (const [key, entry] of entries) takeChanged(entries, key, entry, changes);
  const own = difference(union(changes.own.modified, changes.own.added), SERVER_FIELDS);
  if (isEmptySet(own)) return;
  const { manager, apiVersion, subresource, now: time } = write;
  const entry: ManagedEntry = {
    manager,
    operation: 'Update',
    apiVersion,
    subresource,
    time,
    fields: own,
  };
  const key = entryKey(entry);
  entries.set(key, { ...entry, fields: union(own, entries.get(key)?.fields ?? NO_FIELDS) });
}

/** Takes what has changed from an entry. One of a version that does not exist, or of the other API of events, is forgotten. */
function takeChanged(entries: Entries, key: string, entry: ManagedEntry, changes: Changes): void {
  const found = changes.in(entry.apiVersion);
  if (found === undefined) {
    entries.delete(key);
    return;
  }
  const changed = union(found.modified, found.added);
  const kept = difference(entry.fields, intersection(entry.fields, changed));
  replaceFields(entries, key, entry, difference(kept, found.removed));
}

/** The fields that a change gives to its manager. */
export function ownFields(changes: Comparison, filter: FieldFilter): FieldSet {
  const { modified, added } = filtered(changes, filter);
  return difference(union(modified, added), SERVER_FIELDS);
}

function filtered({ removed, modified, added }: Comparison, filter: FieldFilter): Comparison {
  return { removed: filter(removed), modified: filter(modified), added: filter(added) };
}

function replaceFields(entries: Entries, key: string, entry: ManagedEntry, fields: FieldSet): void {
  if (isEmptySet(fields)) entries.delete(key);
  else if (fields !== entry.fields) entries.set(key, { ...entry, fields });
}

/**
 * Merges an applied configuration into an object: fields that the manager applied before and does not apply now are removed, unless
 * another manager has them. Returns the live object itself when nothing changes.
 * @throws {ApiError} 409 when other managers have fields that would change, unless `force` is set; {ListwatchError} code FIELD_SCHEMA.
 * @see structured-merge-diff merge/update.go Apply @ v6.3.3
 */
export function applyFields(
  entries: Entries,
  live: unknown,
  applied: unknown,
  write: FieldWrite & { readonly force: boolean },
): unknown {
  const { schema, manager, apiVersion, subresource, filter, force, now } = write;
  const own: ManagedEntry = {
    manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: undefined,
    fields: filter(fieldSetOf(schema, applied)),
  };
  const key = entryKey(own);
  const last = entries.get(key);
  entries.set(key, { ...own, time: last?.time });
  const merged = mergeFields(schema, live, applied);
  const next = last === undefined ? merged : pruneFields(merged, entries.values(), last, write);
  takeFromOthers(entries, key, new Changes(live, next, write), force);
  const fields = difference(own.fields, SERVER_FIELDS);
  if (isEmptySet(fields)) entries.delete(key);
  const unchanged = sameValue(live, next);
  const time = unchanged ? last?.time : now;
  if (!isEmptySet(fields)) entries.set(key, { ...own, time, fields });
  return unchanged ? live : next;
}

function takeFromOthers(entries: Entries, own: string, changes: Changes, force: boolean): void {
  const conflicts: FieldConflict[] = [];
  for (const [key, entry] of entries) {
    if (key === own) continue;
    const { modified, added } = changes.in(entry.apiVersion) ?? NOTHING;
    const fields = intersection(entry.fields, union(modified, added));
    if (!isEmptySet(fields)) conflicts.push({ entry, fields });
  }
  if (!force && conflicts.length > 0) throw applyConflict(conflicts);
  for (const [key, entry] of entries) {
    if (key !== own) takeChanged(entries, key, entry, changes);
  }
}

const NOTHING: Comparison = { removed: NO_FIELDS, modified: NO_FIELDS, added: NO_FIELDS };
