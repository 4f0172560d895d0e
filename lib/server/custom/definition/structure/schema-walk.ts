import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  type JsonRecord,
} from '../../../../meta/json-value.ts';

/** The schemas of properties, by name in order. */
export function propertiesOf(schema: JsonRecord | undefined): [string, JsonRecord][] {
  const properties = Object.entries(recordAt(schema, 'properties') ?? {});
  return properties.filter((one): one is [string, JsonRecord] => isRecord(one[1]));
}

/** Whether a member is there and not what Go has for a member that was not set. */
export function isSet(schema: JsonRecord, name: string): boolean {
  const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** Goes over a schema and all schemas in it; ends when `visit` returns true. */
export function someSchema(
  schema: JsonRecord | undefined,
  visit: (schema: JsonRecord) => boolean,
): boolean {
  if (schema === undefined) return false;
  if (visit(schema)) return true;
  return innerSchemas(schema).some((inner) => someSchema(inner, visit));
}

/** The schemas directly in a schema. */
function innerSchemas(schema: JsonRecord): JsonRecord[] {
  const { items } = schema;
  const inner = [
    ...(Array.isArray(items) ? items.filter(isRecord) : []),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => recordsAt(schema, name)),
  ];
  for (const name of ['items', 'not', 'additionalProperties', 'additionalItems']) {
    const one = recordAt(schema, name);
    if (one !== undefined) inner.push(one);
  }
  for (const name of ['properties', 'patternProperties', 'definitions', 'dependencies']) {
    inner.push(...Object.values(recordAt(schema, name) ?? {}).filter(isRecord));
  }
  return inner;
}

/** The two forms in which a schema may say that a value is an integer or a text. */
const INTEGER_OR_TEXT = [{ type: 'integer' }, { type: 'string' }];

export function isIntegerOrText(alternatives: unknown): boolean {
  return jsonEqual(alternatives, INTEGER_OR_TEXT);
}
