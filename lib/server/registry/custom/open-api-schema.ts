import type { FieldCause } from '../../../meta/failures.ts';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
} from '../rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  numberAt,
  recordAt,
  recordsAt,
  textsAt,
  type JsonRecord,
} from '../rules/json-value.ts';
import { compilePattern } from './pattern.ts';

/** A node of an `openAPIV3Schema`, as written in the definition. */
export type OpenApiSchema = JsonRecord;

/** Maximum number of causes: a hostile object may break a rule in every field. */
const MOST_CAUSES = 100;

/** The fields of the root that the API itself defines, and not the schema. */
const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Removes fields that the schema does not have, and nulls that it does not allow. Changes the object. */
export function pruneObject(object: JsonRecord, schema: OpenApiSchema): void {
  pruneRecord(object, schema, TYPE_AND_METADATA);
}

function prune(value: unknown, schema: OpenApiSchema): void {
  if (Array.isArray(value)) {
    const items = recordAt(schema, 'items');
    if (items !== undefined) for (const item of value) prune(item, items);
  } else if (isRecord(value)) {
    pruneRecord(
      value,
      schema,
      schema['x-kubernetes-embedded-resource'] === true ? TYPE_AND_METADATA : NO_NAMES,
    );
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

function pruneRecord(value: JsonRecord, schema: OpenApiSchema, kept: ReadonlySet<string>): void {
  const properties = recordAt(schema, 'properties') ?? {};
  const additional = schema['additionalProperties'];
  const keepsUnknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true || additional === true;
  for (const name of Object.keys(value)) {
    if (kept.has(name)) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : additional;
    if (!isRecord(known)) {
      if (!keepsUnknown) delete value[name];
    } else if (
      value[name] === null &&
      known['nullable'] !== true &&
      Object.hasOwn(properties, name)
    ) {
      delete value[name];
    } else {
      prune(value[name], known);
    }
  }
}

/** Sets the defaults of the schema, outermost first. Changes the object. */
export function setSchemaDefaults(value: unknown, schema: OpenApiSchema): void {
  if (Array.isArray(value)) {
    const items = recordAt(schema, 'items');
    if (items !== undefined) for (const item of value) setSchemaDefaults(item, items);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, property] of Object.entries(recordAt(schema, 'properties') ?? {})) {
    if (!isRecord(property)) continue;
    if (!Object.hasOwn(value, name) && property['default'] !== undefined && name !== '__proto__') {
      value[name] = structuredClone(property['default']);
    }
    if (Object.hasOwn(value, name)) setSchemaDefaults(value[name], property);
  }
  const additional = recordAt(schema, 'additionalProperties');
  if (additional === undefined) return;
  const properties = recordAt(schema, 'properties') ?? {};
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) setSchemaDefaults(value[name], additional);
  }
}

/** The violations of the schema, at most 100; type and metadata of the object are not checked. */
export function validateAgainstSchema(object: JsonRecord, schema: OpenApiSchema): FieldCause[] {
  const causes: FieldCause[] = [];
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  const required = textsAt(schema, 'required').filter((name) => !TYPE_AND_METADATA.has(name));
  validateValue(content, { ...schema, required }, '', causes);
  return causes.slice(0, MOST_CAUSES);
}

function validateValue(
  value: unknown,
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  if (causes.length >= MOST_CAUSES) return;
  if (value === null && schema['nullable'] === true) return;
  if (!hasType(value, schema)) {
    const type =
      schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : schema['type'];
    const detail = `${field} in body must be of type ${String(type)}: ${JSON.stringify(typeOf(value))}`;
    causes.push(fieldTypeInvalid(field, typeOf(value), detail));
    return;
  }
  const allowed = schema['enum'];
  if (
    Array.isArray(allowed) &&
    allowed.length > 0 &&
    !allowed.some((one) => jsonEqual(one, value))
  ) {
    causes.push(fieldNotSupported(field, value, allowed));
  }
  if (typeof value === 'number') validateNumber(value, schema, field, causes);
  else if (typeof value === 'string') validateText(value, schema, field, causes);
  else if (Array.isArray(value)) validateArray(value, schema, field, causes);
  else if (isRecord(value)) validateRecord(value, schema, field, causes);
  validateCombinations(value, schema, field, causes);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(value: unknown, schema: OpenApiSchema): boolean {
  const actual = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true)
    return actual === 'integer' || actual === 'string';
  const { type } = schema;
  if (typeof type !== 'string' || type === '') return true;
  return actual === type || (type === 'number' && actual === 'integer');
}

function validateNumber(
  value: number,
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  const { minimum, maximum, multipleOf } = schema;
  const complain = (rule: string): void => {
    causes.push(fieldInvalid(field, value, `${field} in body should be ${rule}`));
  };
  if (typeof minimum === 'number') {
    if (schema['exclusiveMinimum'] === true) {
      if (value <= minimum) complain(`greater than ${minimum}`);
    } else if (value < minimum) complain(`greater than or equal to ${minimum}`);
  }
  if (typeof maximum === 'number') {
    if (schema['exclusiveMaximum'] === true) {
      if (value >= maximum) complain(`less than ${maximum}`);
    } else if (value > maximum) complain(`less than or equal to ${maximum}`);
  }
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    complain(`a multiple of ${multipleOf}`);
  }
}

function validateText(
  value: string,
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  const { minLength, maxLength, pattern } = schema;
  const length =
    typeof minLength === 'number' || typeof maxLength === 'number' ? codePoints(value) : 0;
  const complain = (rule: string): void => {
    causes.push(fieldInvalid(field, value, `${field} in body should ${rule}`));
  };
  if (typeof minLength === 'number' && length < minLength)
    complain(`be at least ${minLength} chars long`);
  if (typeof maxLength === 'number' && length > maxLength)
    complain(`be at most ${maxLength} chars long`);
  if (typeof pattern === 'string' && compilePattern(pattern)?.test(value) === false) {
    complain(`match '${pattern}'`);
  }
}

/** The number of characters as JSON Schema counts them: a surrogate pair is one. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function validateArray(
  value: readonly unknown[],
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  const { minItems, maxItems } = schema;
  const complain = (rule: string): void => {
    causes.push(fieldInvalid(field, value.length, `${field} in body should have ${rule}`));
  };
  if (typeof minItems === 'number' && value.length < minItems)
    complain(`at least ${minItems} items`);
  if (typeof maxItems === 'number' && value.length > maxItems) {
    complain(`at most ${maxItems} items`);
    return;
  }
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set' || listType === 'map') {
    const keys = listType === 'map' ? textsAt(schema, 'x-kubernetes-list-map-keys') : undefined;
    validateUnique(value, keys, field, causes);
  }
  const items = recordAt(schema, 'items');
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    validateValue(item, items, `${field}[${index}]`, causes);
    if (causes.length >= MOST_CAUSES) return;
  }
}

/** Checks that no two items are equal (a set), or have equal key fields (a map). */
function validateUnique(
  items: readonly unknown[],
  keys: readonly string[] | undefined,
  field: string,
  causes: FieldCause[],
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = isRecord(item) && keys !== undefined ? keys.map((name) => item[name]) : item;
    const text = JSON.stringify(key);
    if (seen.has(text)) causes.push(fieldDuplicate(`${field}[${index}]`, key));
    seen.add(text);
  }
}

function validateRecord(
  value: JsonRecord,
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  const at = (name: string): string => (field === '' ? name : `${field}.${name}`);
  for (const name of textsAt(schema, 'required')) {
    if (!Object.hasOwn(value, name)) causes.push(fieldRequired(at(name)));
  }
  const properties = recordAt(schema, 'properties') ?? {};
  const additional = recordAt(schema, 'additionalProperties');
  const names = Object.keys(value);
  for (const name of names) {
    const property = Object.hasOwn(properties, name) ? properties[name] : additional;
    if (isRecord(property) && value[name] !== undefined) {
      validateValue(value[name], property, at(name), causes);
    }
    if (causes.length >= MOST_CAUSES) return;
  }
  const least = numberAt(schema, 'minProperties');
  const most = schema['maxProperties'];
  const fits = names.length >= least && (typeof most !== 'number' || names.length <= most);
  if (!fits) {
    const limit = typeof most === 'number' ? ` and at most ${most}` : '';
    const rule = `should have at least ${least}${limit} properties`;
    causes.push(fieldInvalid(field, names.length, `${field} in body ${rule}`));
  }
}

/** `allOf`, `anyOf`, `oneOf` and `not`, which contain value rules only. */
function validateCombinations(
  value: unknown,
  schema: OpenApiSchema,
  field: string,
  causes: FieldCause[],
): void {
  for (const one of recordsAt(schema, 'allOf')) validateValue(value, one, field, causes);
  const anyOf = recordsAt(schema, 'anyOf');
  if (anyOf.length > 0 && !anyOf.some((one) => accepts(value, one))) {
    const detail = `${field} in body must validate at least one schema (anyOf)`;
    causes.push(fieldInvalid(field, typeOf(value), detail));
  }
  const oneOf = recordsAt(schema, 'oneOf');
  if (oneOf.length > 0 && oneOf.filter((one) => accepts(value, one)).length !== 1) {
    const detail = `${field} in body must validate one and only one schema (oneOf)`;
    causes.push(fieldInvalid(field, typeOf(value), detail));
  }
  const not = recordAt(schema, 'not');
  if (not !== undefined && accepts(value, not)) {
    const detail = `${field} in body must not validate the schema (not)`;
    causes.push(fieldInvalid(field, typeOf(value), detail));
  }
}

function accepts(value: unknown, schema: OpenApiSchema): boolean {
  const causes: FieldCause[] = [];
  validateValue(value, schema, '', causes);
  return causes.length === 0;
}
