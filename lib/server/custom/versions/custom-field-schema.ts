import {
  BOOLEAN,
  DEDUCED,
  listOf,
  messageSchema,
  NUMERIC,
  SCALAR,
  TEXT,
  type FieldSchema,
  type ListSchema,
} from '../../../meta/fields/field-schema.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { recordAt, textAt, textsAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';

/** How server-side apply merges objects of a custom kind, by the schema of its definition. */
export function customFieldSchema(schema: JsonRecord): FieldSchema {
  return objectSchema(schema, { isResource: true, open: false });
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

/** @param open whether a schema around this one preserves unknown fields: then apply takes them everywhere in it */
function valueSchema(schema: JsonRecord, open: boolean): FieldSchema {
  if (valueAt(schema, 'x-kubernetes-int-or-string') === true) return SCALAR;
  if (valueAt(schema, 'x-kubernetes-embedded-resource') === true) {
    return objectSchema(schema, { isResource: true, open });
  }
  switch (textAt(schema, 'type')) {
    case 'object':
      return objectSchema(schema, { isResource: false, open });
    case 'array':
      return listSchema(schema, open);
    case 'string':
      return textAt(schema, 'format') === '' ? TEXT : SCALAR;
    case 'integer':
    case 'number':
      return NUMERIC;
    case 'boolean':
      return BOOLEAN;
    default:
      return anySchema(schema, open);
  }
}

/** Of a value that may have any type, and that may have properties if it is an object. */
function anySchema(schema: JsonRecord, open: boolean): FieldSchema {
  if (recordAt(schema, 'properties') === undefined) return DEDUCED;
  return { ...DEDUCED, map: objectSchema(schema, { isResource: false, open }).map };
}

interface Place {
  readonly isResource: boolean;
  readonly open: boolean;
}

function objectSchema(schema: JsonRecord, { isResource, open: around }: Place): FieldSchema {
  const open = around || schema[PRESERVE] === true;
  const properties = recordAt(schema, 'properties') ?? {};
  const fields = new Map<string, FieldSchema>();
  const declared = (name: string): FieldSchema | undefined => {
    const known = fields.get(name);
    if (known !== undefined) return known;
    const found =
      (isResource ? resourceField(name) : undefined) ?? propertySchema(properties, name, open);
    if (found !== undefined) fields.set(name, found);
    return found;
  };
  const atomic = textAt(schema, 'x-kubernetes-map-type') === 'atomic';
  return { map: { atomic, declared, element: otherFields(schema, properties, open) } };
}

function resourceField(name: string): FieldSchema | undefined {
  if (name === 'metadata') return messageSchema(builtInTypes().get('meta.ObjectMeta'));
  return name === 'apiVersion' || name === 'kind' ? TEXT : undefined;
}

function propertySchema(
  properties: JsonRecord,
  name: string,
  open: boolean,
): FieldSchema | undefined {
  const property = recordAt(properties, name);
  return property === undefined ? undefined : valueSchema(property, open);
}

/** The schema of fields without one of their own; undefined when there may be none. */
function otherFields(
  schema: JsonRecord,
  properties: JsonRecord,
  open: boolean,
): FieldSchema | undefined {
  const additional = recordAt(schema, 'additionalProperties');
  if (additional !== undefined) return valueSchema(additional, open);
  return open || schema['additionalProperties'] === true || Object.keys(properties).length === 0
    ? DEDUCED
    : undefined;
}

function listSchema(schema: JsonRecord, around: boolean): FieldSchema {
  const open = around || schema[PRESERVE] === true;
  const items = recordAt(schema, 'items');
  const element = items === undefined ? DEDUCED : valueSchema(items, open);
  const type = textAt(schema, 'x-kubernetes-list-type');
  if (type === 'set') return listOf(element, { relationship: 'set' });
  if (type !== 'map') return listOf(element);
  const rules: Partial<ListSchema> = {
    relationship: 'map',
    keys: textsAt(schema, 'x-kubernetes-list-map-keys'),
    keyDefault: (key) => valueAt(items, 'properties', key, 'default'),
  };
  return listOf(element, rules);
}
