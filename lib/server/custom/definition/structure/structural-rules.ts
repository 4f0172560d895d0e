import type { FieldCause } from '../../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../../registry/rules/field-causes.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../../../meta/json-value.ts';
import { parsePattern } from '../../pattern/pattern-parser.ts';
import {
  isIntegerOrText,
  isSet,
  propertiesOf,
  someAlternative,
  someAt,
  someIn,
} from './schema-walk.ts';

type Level = 'root' | 'items' | 'field';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** Members that make a schema unfit to be read as a structural one. */
const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

/** Members that value validations may not have, with the rest of the message. */
const FORBIDDEN_IN_VALIDATIONS: readonly (readonly [string, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  [PRESERVE, 'false'],
  [EMBEDDED, 'false'],
  [INT_OR_STRING, 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

/**
 * Why a schema cannot be read as a structural one.
 * @see apiextensions-apiserver pkg/apiserver/schema/convert.go @ v0.36.3
 */
export function unsupportedMember(schema: JsonRecord): string | undefined {
  let found: string | undefined;
  const visit = (one: JsonRecord): boolean => {
    found = ownUnsupportedMember(one);
    return (
      found !== undefined ||
      someAlternative(one, visit) ||
      someAt(one, ['not', 'items', 'additionalProperties'], visit) ||
      someIn(one['properties'], visit)
    );
  };
  visit(schema);
  return found;
}

function ownUnsupportedMember(schema: JsonRecord): string | undefined {
  for (const [member, name] of UNSUPPORTED) {
    if (isSet(schema, member)) return `OpenAPIV3Schema '${name}' is not supported`;
  }
  if (schema[PRESERVE] === false) return `internal error: '${PRESERVE}' must be true or undefined`;
  if (Array.isArray(schema['items'])) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  return undefined;
}

/**
 * The causes why a schema is not structural, sorted as API servers do.
 * @see apiextensions-apiserver pkg/apiserver/schema/validation.go @ v0.36.3
 */
export function structuralCauses(schema: JsonRecord, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  checkStructure(schema, 'root', path, causes);
  checkCompleteness(schema, schema, path, path, causes);
  const keyed = causes.map((cause) => [`${cause.field}: ${cause.message}`, cause] as const);
  return keyed
    .toSorted(([left], [right]) => (left < right ? -1 : Number(left > right)))
    .map(([, cause]) => cause);
}

function checkStructure(
  schema: JsonRecord,
  level: Level,
  path: string,
  causes: FieldCause[],
): void {
  const { items, additionalProperties } = schema;
  if (isRecord(items)) checkStructure(items, 'items', `${path}.items`, causes);
  else if (schema['type'] === 'array') {
    causes.push(fieldRequired(`${path}.items`, 'must be specified'));
  }
  for (const [name, property] of propertiesOf(schema)) {
    checkStructure(property, 'field', `${path}.properties[${name}]`, causes);
  }
  if (additionalProperties !== undefined && level === 'root') {
    causes.push(fieldForbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isRecord(additionalProperties)) {
    checkStructure(additionalProperties, 'field', `${path}.additionalProperties`, causes);
  }
  checkExtensions(schema, path, causes);
  checkValidations(
    schema,
    isIntegerOrText(schema['anyOf']),
    schema['allOf'] !== undefined && isIntegerOrText(recordsAt(schema, 'allOf')[0]?.['anyOf']),
    path,
    causes,
  );
  checkType(schema, level, path, causes);
  if (level === 'root' || schema[EMBEDDED] === true) checkMetadata(schema, level, path, causes);
}

function checkExtensions(schema: JsonRecord, path: string, causes: FieldCause[]): void {
  if (schema[INT_OR_STRING] !== true) return;
  for (const name of [PRESERVE, EMBEDDED]) {
    if (schema[name] !== true) continue;
    const detail = `must be false if ${INT_OR_STRING} is true`;
    causes.push(fieldInvalid(`${path}.${name}`, true, detail));
  }
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(schema: JsonRecord, level: Level, path: string, causes: FieldCause[]): void {
  const type = textAt(schema, 'type');
  const embedded = schema[EMBEDDED] === true;
  if (embedded && type !== 'object') {
    const detail = `must be object if ${EMBEDDED} is true`;
    const field = `${path}.type`;
    causes.push(type === '' ? fieldRequired(field, detail) : fieldInvalid(field, type, detail));
  } else if (type === '' && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    causes.push(fieldRequired(`${path}.type`, EMPTY_TYPE[level]));
  }
  if (embedded && schema['additionalProperties'] !== undefined) {
    const detail = `must not be used if ${EMBEDDED} is set`;
    causes.push(fieldForbidden(`${path}.additionalProperties`, detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    causes.push(fieldInvalid(`${path}.type`, type, 'must be object at the root'));
  }
}

/** Of the schema of a whole object: at the root, or of an embedded one. */
function checkMetadata(schema: JsonRecord, level: Level, path: string, causes: FieldCause[]): void {
  for (const name of ['kind', 'apiVersion']) {
    const property = recordAt(schema, 'properties', name);
    if (property === undefined || property['type'] === 'string') continue;
    const field = `${path}.properties[${name}].type`;
    causes.push(fieldInvalid(field, textAt(property, 'type'), 'must be string'));
  }
  const metadata = recordAt(schema, 'properties', 'metadata');
  const field = `${path}.properties[metadata]`;
  if (metadata !== undefined && metadata['type'] !== 'object') {
    causes.push(fieldInvalid(`${field}.type`, textAt(metadata, 'type'), 'must be object'));
  }
  if (metadata !== undefined && level === 'root' && saysMoreThanNames(metadata)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    causes.push(fieldForbidden(field, detail));
  }
  const embedded = schema[EMBEDDED] === true;
  if (embedded && schema[PRESERVE] !== true && propertiesOf(schema).length === 0) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    causes.push(fieldRequired(`${path}.properties`, detail));
  }
}

function saysMoreThanNames(metadata: JsonRecord): boolean {
  const names = propertiesOf(metadata).map(([name]) => name);
  if (names.some((name) => name !== 'name' && name !== 'generateName')) return true;
  const allowed = new Set(['type', 'default', 'properties']);
  return Object.keys(metadata).some((name) => !allowed.has(name) && isSet(metadata, name));
}

/** The value validations of a schema. Some alternatives are let pass: those that say integer or text. */
function checkValidations(
  schema: JsonRecord,
  skipsAnyOf: boolean,
  skipsFirstAnyOf: boolean,
  path: string,
  causes: FieldCause[],
): void {
  for (const name of ['anyOf', 'allOf', 'oneOf']) {
    if (schema[name] === undefined || (name === 'anyOf' && skipsAnyOf)) continue;
    for (const [index, one] of recordsAt(schema, name).entries()) {
      const skips = name === 'allOf' && skipsFirstAnyOf && index === 0;
      checkNested(one, skips, `${path}.${name}[${index}]`, causes);
    }
  }
  const { not, pattern } = schema;
  if (isRecord(not)) checkNested(not, false, `${path}.not`, causes);
  if (typeof pattern !== 'string' || pattern === '') return;
  try {
    parsePattern(pattern);
  } catch (error) {
    const detail = `must be a valid regular expression, but isn't: ${(error as Error).message}`;
    causes.push(fieldInvalid(`${path}.pattern`, pattern, detail));
  }
}

function checkNested(
  schema: JsonRecord,
  skipsAnyOf: boolean,
  path: string,
  causes: FieldCause[],
): void {
  checkValidations(schema, skipsAnyOf, false, path, causes);
  const items = recordAt(schema, 'items');
  if (items !== undefined) checkNested(items, false, `${path}.items`, causes);
  for (const [name, property] of propertiesOf(schema)) {
    checkNested(property, false, `${path}.properties[${name}]`, causes);
  }
  for (const [name, rule] of FORBIDDEN_IN_VALIDATIONS) {
    const found = name === 'default' ? valueAt(schema, name) !== undefined : isSet(schema, name);
    if (found) causes.push(fieldForbidden(`${path}.${name}`, `must be ${rule} to be structural`));
  }
  if (recordAt(schema, 'properties', 'metadata') !== undefined) {
    const detail = 'must not be specified in a nested context';
    causes.push(fieldForbidden(`${path}.properties[metadata]`, detail));
  }
}

/**
 * Fields of value validations have to be in the structure.
 * @see apiextensions-apiserver pkg/apiserver/schema/complete.go @ v0.36.3
 */
function checkCompleteness(
  validations: JsonRecord,
  structure: JsonRecord,
  path: string,
  place: string,
  causes: FieldCause[],
): void {
  const nested = (one: JsonRecord, name: string): void => {
    checkNestedCompleteness(one, structure, path, `${place}.${name}`, causes);
  };
  const not = recordAt(validations, 'not');
  if (not !== undefined) nested(not, 'not');
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [index, one] of recordsAt(validations, name).entries()) {
      nested(one, `${name}[${index}]`);
    }
  }
}

function checkNestedCompleteness(
  validations: JsonRecord,
  structure: JsonRecord | undefined,
  path: string,
  place: string,
  causes: FieldCause[],
): void {
  if (structure === undefined) {
    causes.push(fieldRequired(path, `because it is defined in ${place}`));
    return;
  }
  checkCompleteness(validations, structure, path, place, causes);
  const items = recordAt(validations, 'items');
  if (items !== undefined) {
    const inner = recordAt(structure, 'items');
    checkNestedCompleteness(items, inner, `${path}.items`, `${place}.items`, causes);
  }
  for (const [name, property] of propertiesOf(validations)) {
    const step = `properties[${name}]`;
    const inner = recordAt(structure, 'properties', name);
    checkNestedCompleteness(property, inner, `${path}.${step}`, `${place}.${step}`, causes);
  }
}
