import { ListwatchError } from '../../kernel/failure/errors.ts';
import { nearName } from '../../kernel/text/near-name.ts';
import { TUPLE, UNREPRESENTABLE } from './schema-document.ts';
import { fieldsAt, isEmpty, isFields, isSame, listAt, type Fields } from './schema-fields.ts';

type Schema = Record<string, unknown>;

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** Keywords that a structural schema has too. */
const KEPT = [
  'description',
  'title',
  'format',
  'default',
  'nullable',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'pattern',
  'enum',
  'required',
  'example',
  'externalDocs',
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-embedded-resource',
  PRESERVE,
  INT_OR_STRING,
];
/** Keywords that are read here, or say nothing about values. */
const READ = [
  'type',
  'properties',
  'items',
  'additionalProperties',
  'patternProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'const',
  '$schema',
  '$id',
  'id',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
];
const KNOWN: ReadonlySet<string> = new Set([...KEPT, ...READ]);

/** Why a keyword has no counterpart, and what to write. */
const REFUSED: Readonly<Record<string, string>> = {
  additionalItems: TUPLE,
  $ref: 'a structural schema cannot be recursive or refer to another one; use z.any() or Type.Any() where it recurs',
  uniqueItems: "use the keyword 'x-kubernetes-list-type': 'set'",
  not: "use the keyword 'x-kubernetes-validations' with a rule in CEL",
  if: "use the keyword 'x-kubernetes-validations' with a rule in CEL",
  propertyNames:
    "use a record of texts, and 'x-kubernetes-validations' with a rule in CEL for its keys",
};

/** Go's regular expressions have neither looking around nor references. */
const NOT_IN_GO = /\(\?<?[=!]|\\[1-9]/;
/** Formats that API servers check by themselves. */
const CHECKED_FORMATS: ReadonlySet<string> = new Set([
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'date',
  'date-time',
  'duration',
  'byte',
]);
/** The pattern by which typebox writes a record of any texts. */
const ANY_KEY = new Set(['^.*$', '^(.*)$', '.*', '']);

/**
 * The structural schema of a JSON schema.
 * @param path the field that it is for, e.g. `spec.rules`
 * @throws {ListwatchError} code INVALID_OPTION naming the field and the remedy, for what Kubernetes refuses or would understand otherwise.
 */
export function structuralSchema(given: unknown, path: string): Schema {
  if (given === true) return { [PRESERVE]: true };
  if (!isFields(given)) refuse(path, 'it has no schema');
  const remedy = given[UNREPRESENTABLE];
  if (typeof remedy === 'string') refuse(path, remedy);
  const schema = mergedParts(given, path);
  const result: Schema = {};
  for (const keyword of KEPT) {
    if (schema[keyword] !== undefined) result[keyword] = schema[keyword];
  }
  if (schema['const'] !== undefined) result['enum'] = [schema['const']];
  addType(schema, result, path);
  addLimits(result);
  addPattern(result, path);
  addProperties(schema, result, path);
  if (result['type'] === 'array') {
    if (Array.isArray(schema['items'])) {
      refuse(path, TUPLE);
    }
    result['items'] = structuralSchema(schema['items'] ?? {}, `${path}[]`);
  }
  return result;
}

function checkKeywords(schema: Fields, path: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || KNOWN.has(keyword) || keyword.startsWith('~')) continue;
    // Definitions are refused where they are referred to.
    if (keyword === 'definitions' || keyword === '$defs') continue;
    if (value === false && keyword === 'uniqueItems') continue;
    const remedy = REFUSED[keyword] ?? didYouMean(keyword);
    refuse(path, `a structural schema has no keyword ${JSON.stringify(keyword)}; ${remedy}`);
  }
}

function didYouMean(keyword: string): string {
  const near = nearName(keyword, [...KNOWN]);
  return near === undefined ? 'leave it out' : `did you mean ${JSON.stringify(near)}?`;
}

/** `allOf`, `anyOf` and `oneOf` as one schema, whose fields they only restrict. */
function mergedParts(given: Fields, path: string): Fields {
  checkKeywords(given, path);
  const { allOf, anyOf, oneOf, ...rest } = given;
  let schema: Fields = rest;
  for (const part of listAt({ allOf }, 'allOf')) {
    if (!isFields(part)) refuse(path, 'a part of it has no schema');
    schema = intersection(schema, mergedParts(part, path), path);
  }
  for (const [keyword, list] of Object.entries({ anyOf, oneOf })) {
    const options = listAt({ list }, 'list');
    if (options.length > 0) schema = { ...schema, ...unionOf(keyword, options, path) };
  }
  return schema;
}

/** Both at once: fields of both, and limits that do not contradict each other. */
function intersection(one: Fields, other: Fields, path: string): Fields {
  const properties = { ...fieldsAt(one, 'properties') };
  for (const [name, property] of Object.entries(fieldsAt(other, 'properties'))) {
    if (properties[name] !== undefined && !isSame(properties[name], property)) {
      refuse(
        `${path}.${name}`,
        'two parts of an intersection have different schemas for it; give it one',
      );
    }
    properties[name] = property;
  }
  const required = [...new Set([...listAt(one, 'required'), ...listAt(other, 'required')])];
  const result: Schema = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    if (keyword === 'properties' || keyword === 'required') continue;
    if (result[keyword] !== undefined && !isSame(result[keyword], value)) {
      refuse(
        path,
        `two parts of an intersection have another ${JSON.stringify(keyword)}; use 'x-kubernetes-validations' with a rule in CEL for one of them`,
      );
    }
    result[keyword] = value;
  }
  if (!isEmpty(properties)) result['properties'] = properties;
  if (required.length > 0) result['required'] = required;
  return result;
}

/** A union as a structural schema can say it: of constants, with null, of a number and a text, or of objects. */
function unionOf(keyword: string, given: readonly unknown[], path: string): Fields {
  const options = given.map((option) => {
    if (!isFields(option)) refuse(path, 'an option of a union has no schema');
    return mergedParts(option, path);
  });
  const values = options.filter((option) => !isNull(option));
  const nullable = values.length < options.length ? { nullable: true } : {};
  const [first] = values;
  if (first === undefined) refuse(path, 'a field must have other values than null');
  if (values.length === 1) return { ...first, ...nullable };
  const constants = values.map(constantsOf);
  if (constants.every((list) => list !== undefined)) {
    return { enum: constants.flat(), ...nullable };
  }
  const types = values.map(({ type }) => (typeof type === 'string' ? type : 'anything'));
  const isPlain = values.every((value) => Object.keys(value).every((name) => PLAIN.has(name)));
  if (isPlain && types.length === 2 && types.includes('integer') && types.includes('string')) {
    return { [INT_OR_STRING]: true, ...nullable };
  }
  if (types.every((type) => type === 'object'))
    return { ...unionOfObjects(keyword, values, path), ...nullable };
  refuse(
    path,
    `a field of a structural schema has one type, not ${types.join(' or ')}; use one of them, an integer or a text (z.union([z.int(), z.string()])), objects, or z.any()`,
  );
}

/** The bounds of an option of an integer or a text: the limits of JavaScript's integers say nothing. */
const PLAIN: ReadonlySet<string> = new Set(['type', 'minimum', 'maximum', '~kind', 'description']);

function isNull(option: Fields): boolean {
  const values = constantsOf(option);
  return option['type'] === 'null' || (values?.length === 1 && values[0] === null);
}

function constantsOf({ const: value, enum: list }: Fields): readonly unknown[] | undefined {
  if (value !== undefined) return [value];
  return Array.isArray(list) ? list : undefined;
}

/** Fields have their schema beside the union; the options say which of them must be there, and the values of constants. */
function unionOfObjects(keyword: string, options: readonly Fields[], path: string): Fields {
  const properties: Schema = {};
  for (const option of options) {
    if (isFields(option['additionalProperties'])) {
      refuse(path, 'an option of a union must have named fields, not a record');
    }
    for (const [name, property] of Object.entries(fieldsAt(option, 'properties'))) {
      properties[name] = sharedField(properties[name], property, `${path}.${name}`);
    }
  }
  const restricted = options.map((option) => {
    const constants = Object.entries(fieldsAt(option, 'properties')).flatMap(([name, property]) => {
      const values = isFields(property) ? constantsOf(property) : undefined;
      return values === undefined ? [] : [[name, { enum: values }] as const];
    });
    const required = listAt(option, 'required');
    return {
      ...(constants.length === 0 ? {} : { properties: Object.fromEntries(constants) }),
      ...(required.length === 0 ? {} : { required }),
    };
  });
  // An option that any object meets makes the union say nothing.
  const says = restricted.every((option) => !isEmpty(option));
  const everywhere = options.map((option) => listAt(option, 'required'));
  const required = (everywhere[0] ?? []).filter((name) =>
    everywhere.every((one) => one.includes(name)),
  );
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(says ? { [UNION]: { [keyword]: restricted } } : {}),
  };
}

/** A union of objects that is made already. */
const UNION = '~union';

function sharedField(before: unknown, property: unknown, path: string): unknown {
  if (before === undefined || isSame(before, property)) return property;
  const lists = [before, property].map((one) => (isFields(one) ? constantsOf(one) : undefined));
  const [earlier, later] = lists;
  if (earlier !== undefined && later !== undefined) {
    return { enum: [...new Set([...earlier, ...later])] };
  }
  refuse(
    path,
    'it has another schema in each option of a union; give it one schema, or the fields different names',
  );
}

function addType(schema: Fields, result: Schema, path: string): void {
  if (result[INT_OR_STRING] === true) {
    delete result['minimum'];
    delete result['maximum'];
    return;
  }
  const values = constantsOf(schema);
  const isNullable = schema['nullable'] === true || values?.includes(null) === true;
  if (values !== undefined && isNullable) {
    refuse(
      path,
      'Kubernetes refuses null for an enumeration, also when it is nullable; make the field optional, or give it a value such as "none"',
    );
  }
  const type = schema['type'] ?? typeOfValues(values, path);
  if (type === undefined) {
    if (schema['properties'] !== undefined) result['type'] = 'object';
    else result[PRESERVE] = true;
    return;
  }
  if (Array.isArray(type) || type === 'null') {
    refuse(path, 'a field of a structural schema has one type; use nullable for null');
  }
  result['type'] = type;
}

function typeOfValues(values: readonly unknown[] | undefined, path: string): string | undefined {
  if (values === undefined) return undefined;
  const types = new Set(
    values.map((value) =>
      Number.isInteger(value) ? 'integer' : Array.isArray(value) ? 'array' : typeof value,
    ),
  );
  if (types.size === 2 && types.has('integer') && types.has('number')) return 'number';
  const [type] = types;
  if (types.size === 1 && type !== undefined) return type;
  refuse(path, `the values of an enumeration must have one type, not ${[...types].join(' and ')}`);
}

/** The numbers of later JSON schemas as the flags of OpenAPI 3.0. */
function addLimits(result: Schema): void {
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof result[flag] !== 'number') continue;
    result[limit] = result[flag];
    result[flag] = true;
  }
}

function addPattern(result: Schema, path: string): void {
  const { pattern, format } = result;
  if (typeof pattern !== 'string' || !NOT_IN_GO.test(pattern)) return;
  if (typeof format !== 'string' || !CHECKED_FORMATS.has(format)) {
    refuse(
      path,
      `Kubernetes cannot use the regular expression ${pattern}, because it looks around or refers back; write it without (?=, (?! and \\1`,
    );
  }
  delete result['pattern'];
}

function addProperties(schema: Fields, result: Schema, path: string): void {
  if (result['type'] !== 'object') return;
  const properties = fieldsAt(schema, 'properties');
  if (!isEmpty(properties)) {
    result['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [
        name,
        structuralSchema(one, `${path}.${name}`),
      ]),
    );
  }
  const others = othersOf(schema, path);
  if (isFields(others) && !isEmpty(others)) {
    if (!isEmpty(properties)) {
      refuse(
        path,
        'an object has named fields or a schema for all others, not both; move the others into a field of their own',
      );
    }
    result['additionalProperties'] = structuralSchema(others, `${path}{}`);
  } else if (others === true || isFields(others)) {
    result[PRESERVE] = true;
  }
  const union = schema[UNION];
  if (isFields(union)) Object.assign(result, union);
  if (isEmpty(properties) && others === undefined && union === undefined) result[PRESERVE] = true;
}

/** The schema of fields without a name in the schema. False says nothing more: API servers remove such fields. */
function othersOf(schema: Fields, path: string): unknown {
  const patterns = Object.entries(fieldsAt(schema, 'patternProperties'));
  const [only] = patterns;
  if (only === undefined) return schema['additionalProperties'];
  const [pattern, value] = only;
  if (patterns.length === 1 && ANY_KEY.has(pattern)) return value;
  refuse(
    path,
    "keys cannot be distinguished by a pattern; use a record of texts, and 'x-kubernetes-validations' with a rule in CEL for its keys",
  );
}

function refuse(path: string, problem: string): never {
  throw new ListwatchError('INVALID_OPTION', `defineResource: ${path}: ${problem}`);
}
