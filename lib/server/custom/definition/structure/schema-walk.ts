import { isRecord, jsonEqual, type JsonRecord } from '../../../../meta/json-value.ts';

const NONE: readonly [string, JsonRecord][] = [];

/** The schemas of properties, by name in order. */
export function propertiesOf(schema: JsonRecord | undefined): readonly [string, JsonRecord][] {
  const properties = schema?.['properties'];
  if (!isRecord(properties)) return NONE;
  const found: [string, JsonRecord][] = [];
  for (const name of Object.keys(properties)) {
    const one = properties[name];
    if (isRecord(one)) found.push([name, one]);
  }
  return found;
}

/** Whether a member is there and not what Go has for a member that was not set. */
export function isSet(schema: JsonRecord, name: string): boolean {
  const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
  return value !== undefined && value !== null && value !== false && value !== '';
}

type Visit = (schema: JsonRecord) => boolean;

/** Goes over a schema and all schemas in it; ends when `visit` returns true. */
export function someSchema(schema: JsonRecord | undefined, visit: Visit): boolean {
  if (schema === undefined) return false;
  return visit(schema) || someInner(schema, (inner) => someSchema(inner, visit));
}

/** Goes over the schemas directly in a schema, without lists of them: definitions have tens of thousands. */
function someInner(schema: JsonRecord, visit: Visit): boolean {
  const { items } = schema;
  return (
    (Array.isArray(items) && items.some((one) => isRecord(one) && visit(one))) ||
    someAlternative(schema, visit) ||
    someAt(schema, ['items', 'not', 'additionalProperties', 'additionalItems'], visit) ||
    someIn(schema['properties'], visit) ||
    someIn(schema['patternProperties'], visit) ||
    someIn(schema['definitions'], visit) ||
    someIn(schema['dependencies'], visit)
  );
}

/** Goes over the schemas in the lists of alternatives. */
export function someAlternative(schema: JsonRecord, visit: Visit): boolean {
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[name];
    if (!Array.isArray(list)) continue;
    for (const one of list as unknown[]) if (isRecord(one) && visit(one)) return true;
  }
  return false;
}

/** Goes over members that are schemas. */
export function someAt(schema: JsonRecord, names: readonly string[], visit: Visit): boolean {
  for (const name of names) {
    const one = schema[name];
    if (isRecord(one) && visit(one)) return true;
  }
  return false;
}

/** Goes over the schemas in a map of them. */
export function someIn(map: unknown, visit: Visit): boolean {
  if (!isRecord(map)) return false;
  for (const name of Object.keys(map)) {
    const one = map[name];
    if (isRecord(one) && visit(one)) return true;
  }
  return false;
}

/** The two forms in which a schema may say that a value is an integer or a text. */
const INTEGER_OR_TEXT = [{ type: 'integer' }, { type: 'string' }];

export function isIntegerOrText(alternatives: unknown): boolean {
  return jsonEqual(alternatives, INTEGER_OR_TEXT);
}
