import type { FieldSchema } from '../../../meta/fields/field-schema.ts';
import { fieldSetOf } from '../../../meta/fields/field-set-of.ts';
import {
  difference,
  intersection,
  isEmptySet,
  NO_FIELDS,
  union,
  type FieldSet,
} from '../../../meta/fields/field-set.ts';
import { removeFields, withNamedFields } from '../../../meta/fields/remove-fields.ts';
import type { FieldVersions } from '../contract/kind-definition.ts';
import type { ManagedEntry } from './managed-entry.ts';

/** Where an apply is made. */
export interface PruneOptions {
  readonly apiVersion: string;
  readonly schema: FieldSchema;
  readonly versions: FieldVersions;
}

/** A value of one version. */
interface Form {
  readonly apiVersion: string;
  readonly schema: FieldSchema;
  readonly value: unknown;
}

/**
 * The merged value without what the manager applied last time and no manager has now. Entries of versions that do not exist have
 * nothing.
 * @throws {ListwatchError} code FIELD_SCHEMA.
 * @see structured-merge-diff merge/update.go prune @ v6.4.2
 */
export function pruneFields(
  value: unknown,
  entries: Iterable<ManagedEntry>,
  last: ManagedEntry,
  { apiVersion, schema, versions }: PruneOptions,
): unknown {
  if (isEmptySet(last.fields)) return value;
  const own: Form = { apiVersion, schema, value };
  const merged = formIn(own, last.apiVersion, versions);
  if (merged === undefined) return value;
  const without = removeFields(merged.schema, merged.value, named(last.fields, merged));
  let pruned: Form = { ...merged, value: without };
  for (const [version, owned] of ownedBy(entries, last.apiVersion)) {
    pruned = withOwned(merged, pruned, owned, version, versions) ?? pruned;
  }
  pruned = formIn(pruned, last.apiVersion, versions) ?? pruned;
  const gone = difference(fieldsOf(merged), fieldsOf(pruned));
  const removed = intersection(gone, named(last.fields, merged));
  const result = removeFields(merged.schema, merged.value, removed);
  return formIn({ ...merged, value: result }, apiVersion, versions)?.value;
}

/** The fields of all managers by version, those of the version of the last apply first. */
function ownedBy(entries: Iterable<ManagedEntry>, first: string): Map<string, FieldSet> {
  const owned = new Map([[first, NO_FIELDS]]);
  for (const { apiVersion, fields } of entries) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? NO_FIELDS, fields));
  }
  return owned;
}

/** The pruned value in a version, with what managers have in that version; undefined if it does not exist. */
function withOwned(
  merged: Form,
  pruned: Form,
  owned: FieldSet,
  apiVersion: string,
  versions: FieldVersions,
): Form | undefined {
  const whole = formIn(merged, apiVersion, versions);
  const part = formIn(pruned, apiVersion, versions);
  if (whole === undefined || part === undefined) return undefined;
  const stay = union(fieldsOf(part), named(owned, whole));
  const value = removeFields(whole.schema, whole.value, difference(fieldsOf(whole), stay));
  return { ...whole, value };
}

function formIn(form: Form, apiVersion: string, versions: FieldVersions): Form | undefined {
  if (form.apiVersion === apiVersion) return form;
  const schema = versions.schemaOf(apiVersion);
  if (schema === undefined) return undefined;
  if (!versions.haveOtherForms) return { ...form, apiVersion };
  return { apiVersion, schema, value: versions.convert(form.value, form.apiVersion, apiVersion) };
}

function fieldsOf(form: Form): FieldSet {
  return named(fieldSetOf(form.schema, form.value), form);
}

function named(fields: FieldSet, { schema }: Pick<Form, 'schema'>): FieldSet {
  return withNamedFields(fields, schema);
}
