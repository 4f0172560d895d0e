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
} from '../../../../meta/fields/field-schema.ts';
import { builtInTypes } from '../../../../meta/types/built-in-types.ts';
import { recordAt, textAt, textsAt, valueAt, type JsonRecord } from '../../rules/json-value.ts';

/** How server-side apply merges objects of a custom kind, by the schema of its definition. */
export function customFieldSchema(schema: JsonRecord): FieldSchema {
  return objectSchema(schema, true);
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

function valueSchema(schema: JsonRecord): FieldSchema {
  if (valueAt(schema, 'x-kubernetes-int-or-string') === true) return SCALAR;
  if (valueAt(schema, 'x-kubernetes-embedded-resource') === true) return objectSchema(schema, true);
  switch (textAt(schema, 'type')) {
    case 'object':
      return objectSchema(schema, false);
    case 'array':
      return listSchema(schema);
    case 'string':
      return textAt(schema, 'format') === '' ? TEXT : SCALAR;
    case 'integer':
    case 'number':
      return NUMERIC;
    case 'boolean':
      return BOOLEAN;
    default:
      return DEDUCED;
  }
}

function objectSchema(schema: JsonRecord, isResource: boolean): FieldSchema {
  const properties = recordAt(schema, 'properties') ?? {};
  const fields = new Map<string, FieldSchema>();
  const declared = (name: string): FieldSchema | undefined => {
    const known = fields.get(name);
    if (known !== undefined) return known;
    const found =
      (isResource ? resourceField(name) : undefined) ?? propertySchema(properties, name);
    if (found !== undefined) fields.set(name, found);
    return found;
  };
  const atomic = textAt(schema, 'x-kubernetes-map-type') === 'atomic';
  return { map: { atomic, declared, element: otherFields(schema, properties) } };
}

function resourceField(name: string): FieldSchema | undefined {
  if (name === 'metadata') return messageSchema(builtInTypes().get('meta.ObjectMeta'));
  return name === 'apiVersion' || name === 'kind' ? TEXT : undefined;
}

function propertySchema(properties: JsonRecord, name: string): FieldSchema | undefined {
  const property = recordAt(properties, name);
  return property === undefined ? undefined : valueSchema(property);
}

/** The schema of fields without one of their own; undefined when there may be none. */
function otherFields(schema: JsonRecord, properties: JsonRecord): FieldSchema | undefined {
  const additional = recordAt(schema, 'additionalProperties');
  if (additional !== undefined) return valueSchema(additional);
  const open = schema[PRESERVE] === true || schema['additionalProperties'] === true;
  return open || Object.keys(properties).length === 0 ? DEDUCED : undefined;
}

function listSchema(schema: JsonRecord): FieldSchema {
  const items = recordAt(schema, 'items');
  const element = items === undefined ? DEDUCED : valueSchema(items);
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
