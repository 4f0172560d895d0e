import { atomOf } from './atom.ts';
import type { FieldSchema, ListSchema, MapSchema } from './field-schema.ts';
import {
  fieldsBelow,
  hasElement,
  isEmptySet,
  NO_FIELDS,
  withSelf,
  type FieldSet,
} from './field-set.ts';
import { elementOf, isEmptyMap, isMap } from './list-elements.ts';
import { setMember } from './merge-fields.ts';

/**
 * The value without the fields of a set. A map or list that loses all of its members becomes null.
 * @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key.
 * @see structured-merge-diff typed/remove.go @ v6.3.3
 */
export function removeFields(schema: FieldSchema, value: unknown, fields: FieldSet): unknown {
  if (isEmptySet(fields)) return value;
  const atom = atomOf(schema, value);
  if (atom === 'map' && schema.map !== undefined) return removeFromMap(schema.map, value, fields);
  if (atom === 'list' && schema.list !== undefined) {
    return removeFromList(schema.list, value, fields);
  }
  return value;
}

function removeFromMap(schema: MapSchema, value: unknown, fields: FieldSet): unknown {
  if (schema.atomic || !isMap(value) || isEmptyMap(value)) return null;
  const result: Record<string, unknown> = {};
  let some = false;
  for (const name of Object.keys(value)) {
    const element = `f:${name}`;
    if (hasElement(fields, element)) continue;
    const own = schema.declared(name) ?? schema.element;
    const below = fieldsBelow(fields, element);
    const kept = own === undefined ? value[name] : removeFields(own, value[name], below);
    setMember(result, name, kept);
    some = true;
  }
  return some ? result : null;
}

function removeFromList(schema: ListSchema, value: unknown, fields: FieldSet): unknown {
  if (schema.relationship === 'atomic' || !Array.isArray(value)) return null;
  const kept: unknown[] = [];
  for (const item of value as unknown[]) {
    const element = elementOf(schema, item);
    if (hasElement(fields, element)) continue;
    kept.push(removeFields(schema.element, item, fieldsBelow(fields, element)));
  }
  return kept.length === 0 ? null : kept;
}

/** The set with each declared field that has members below it as a member of its own. */
export function withNamedFields(fields: FieldSet, schema: FieldSchema | undefined): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element of Object.keys(fields)) {
    if (element === '.') continue;
    const isField = element.startsWith('f:');
    const declared = isField ? schema?.map?.declared(element.slice(2)) : undefined;
    const below = belowSchema(schema, element, declared);
    const inner = withNamedFields(fieldsBelow(fields, element), below);
    const isSelf = hasElement(fields, element) || declared !== undefined;
    if (isEmptySet(inner)) result[element] = NO_FIELDS;
    else result[element] = isSelf ? withSelf(inner) : inner;
  }
  return result;
}

function belowSchema(
  schema: FieldSchema | undefined,
  element: string,
  declared: FieldSchema | undefined,
): FieldSchema | undefined {
  if (element.startsWith('f:')) return declared ?? schema?.map?.element;
  return element.startsWith('k:') ? schema?.list?.element : undefined;
}
