import { atomOf } from './atom.ts';
import type { FieldSchema, ListSchema, MapSchema } from './field-schema.ts';
import { NO_FIELDS, withSelf, type FieldSet } from './field-set.ts';
import { elementOf, isEmptyMap, isMap, type JsonMap } from './list-elements.ts';

/**
 * The fields that a value sets: its scalars, what is one value by its schema, empty maps, items of lists and entries of maps.
 * @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key.
 * @see structured-merge-diff typed/tofieldset.go @ v6.3.3
 */
export function fieldSetOf(schema: FieldSchema, value: unknown): FieldSet {
  return fieldsOf(schema, value) ?? NO_FIELDS;
}

function fieldsOf(schema: FieldSchema, value: unknown): FieldSet | undefined {
  const atom = atomOf(schema, value);
  if (atom === 'scalar') return NO_FIELDS;
  if (atom === 'map') return schema.map === undefined ? undefined : mapFields(schema.map, value);
  return schema.list === undefined ? undefined : listFields(schema.list, value);
}

function mapFields(schema: MapSchema, value: unknown): FieldSet | undefined {
  if (schema.atomic) return NO_FIELDS;
  if (!isMap(value)) return undefined;
  const result: Record<string, FieldSet> = {};
  let some = false;
  for (const name of Object.keys(value)) {
    const fields = entryFields(schema, name, value[name]);
    if (fields === undefined) continue;
    result[`f:${name}`] = fields;
    some = true;
  }
  return some ? result : undefined;
}

function entryFields(schema: MapSchema, name: string, value: unknown): FieldSet | undefined {
  const declared = schema.declared(name);
  const own = declared ?? schema.element;
  const below = own === undefined ? undefined : fieldsOf(own, value);
  const isSelf = value === null || (isMap(value) && isEmptyMap(value)) || declared === undefined;
  return isSelf ? withSelf(below ?? NO_FIELDS) : below;
}

function listFields(schema: ListSchema, value: unknown): FieldSet | undefined {
  if (schema.relationship === 'atomic') return NO_FIELDS;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const result: Record<string, FieldSet> = {};
  const seen = new Set<string>();
  for (const item of value as unknown[]) {
    const element = elementOf(schema, item);
    // Items with the same key belong to their manager as a whole.
    result[element] = seen.has(element)
      ? NO_FIELDS
      : withSelf(fieldsOf(schema.element, item) ?? NO_FIELDS);
    seen.add(element);
  }
  return result;
}

/**
 * The fields of a value that was added or removed as a whole: also each map and list on the way.
 * @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key.
 */
export function allFieldsOf(schema: FieldSchema, value: unknown): FieldSet {
  const atom = atomOf(schema, value);
  if (atom === 'map' && schema.map?.atomic === false && isMap(value)) {
    return allMapFields(schema.map, value);
  }
  if (atom === 'list' && schema.list !== undefined && Array.isArray(value)) {
    return allListFields(schema.list, value);
  }
  return NO_FIELDS;
}

function allMapFields(schema: MapSchema, value: JsonMap): FieldSet {
  const result: Record<string, FieldSet> = {};
  let some = false;
  for (const name of Object.keys(value)) {
    if (!some) result['.'] = NO_FIELDS;
    some = true;
    const own = schema.declared(name) ?? schema.element;
    result[`f:${name}`] = own === undefined ? NO_FIELDS : allFieldsOf(own, value[name]);
  }
  return some ? result : NO_FIELDS;
}

function allListFields(schema: ListSchema, value: readonly unknown[]): FieldSet {
  if (schema.relationship === 'atomic' || value.length === 0) return NO_FIELDS;
  const result: Record<string, FieldSet> = { '.': NO_FIELDS };
  for (const item of value) {
    const element = elementOf(schema, item);
    const repeated = Object.hasOwn(result, element);
    result[element] = repeated ? NO_FIELDS : allFieldsOf(schema.element, item);
  }
  return result;
}
