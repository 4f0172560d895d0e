import type { FieldCause } from '../../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../registry/rules/field-causes.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  textsAt,
  type JsonRecord,
} from '../../../../meta/json-value.ts';
import { itemsGoForm, schemaGoForm, schemaGoMembers } from './schema-go-form.ts';
import { isSet, propertiesOf } from './schema-walk.ts';
import { schemaAt } from './schema-path.ts';
import { unsupportedMember } from './structural-rules.ts';

/** An extension that is for one type only. */
function typeForExtension(
  schema: JsonRecord,
  path: string,
  wanted: string,
  extension: string,
): FieldCause[] {
  const type = textAt(schema, 'type');
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  if (type === '') return [fieldRequired(`${path}.type`, detail)];
  return [fieldInvalid(`${path}.type`, type, detail)];
}

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const ATOMIC_ITEM = 'must be atomic as item of a list with x-kubernetes-list-type=set';
const LIST_TYPES = ['atomic', 'set', 'map'];

/** The rules for kinds of lists: sets, and maps by keys. */
export function listTypeCauses(
  schema: JsonRecord,
  path: string,
  requiresAtomicSets: boolean,
): FieldCause[] {
  const causes: FieldCause[] = [];
  const listType = valueAt(schema, LIST_TYPE);
  const at = `${path}.${LIST_TYPE}`;
  if (listType !== undefined) {
    const wrongType = typeForExtension(schema, path, 'array', LIST_TYPE);
    causes.push(...wrongType);
    if (wrongType.length === 0 && requiresAtomicSets && listType === 'set') {
      causes.push(...atomicItemCauses(schema, path));
    }
    if (!LIST_TYPES.includes(listType as string)) {
      causes.push(fieldNotSupported(at, listType, LIST_TYPES));
    }
  }
  const keys = textsAt(schema, MAP_KEYS);
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${MAP_KEYS} is non-empty`;
    causes.push(
      listType === undefined ? fieldRequired(at, detail) : fieldInvalid(at, listType, detail),
    );
  }
  if (listType === 'map') causes.push(...mapCauses(schema, path, keys));
  return causes;
}

function atomicItemCauses(schema: JsonRecord, path: string): FieldCause[] {
  const items = recordAt(schema, 'items');
  const listType = valueAt(items, LIST_TYPE);
  const type = textAt(items, 'type');
  if (type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [fieldInvalid(`${path}.items.${LIST_TYPE}`, listType, ATOMIC_ITEM)];
  }
  if (type === 'object' && textAt(items, 'x-kubernetes-map-type') !== 'atomic') {
    return [fieldInvalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, ATOMIC_ITEM)];
  }
  return [];
}

function mapCauses(schema: JsonRecord, path: string, keys: readonly string[]): FieldCause[] {
  const causes: FieldCause[] = [];
  const rule = `if ${LIST_TYPE} is map`;
  if (keys.length === 0) {
    causes.push(fieldRequired(`${path}.${MAP_KEYS}`, `must not be empty ${rule}`));
  }
  const given = valueAt(schema, 'items');
  const items = recordAt(schema, 'items');
  if (given === undefined) {
    causes.push(fieldRequired(`${path}.items`, `must have a schema ${rule}`));
  } else if (items === undefined) {
    const detail = `must only have a single schema ${rule}`;
    causes.push(fieldInvalid(`${path}.items`, itemsGoForm(given), detail));
  }
  if (items === undefined) return causes;
  const type = textAt(items, 'type');
  if (type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    causes.push(fieldInvalid(`${path}.items.type`, type, detail));
    return causes;
  }
  for (const [index, key] of keys.entries()) {
    const property = recordAt(items, 'properties', key);
    const field = `${path}.${MAP_KEYS}`;
    if (property === undefined) {
      causes.push(fieldInvalid(field, keys, 'entries must all be names of item properties'));
    } else if (['array', 'object'].includes(textAt(property, 'type'))) {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      causes.push(fieldInvalid(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (keys.indexOf(key) < index) {
      causes.push(fieldInvalid(field, keys, 'must not contain duplicate entries'));
    }
  }
  return causes;
}

/** Items of sets and maps have a value, and keys of maps too. */
export function keysOfListCauses(schema: JsonRecord, path: string): FieldCause[] {
  const items = recordAt(schema, 'items');
  const listType = textAt(schema, LIST_TYPE);
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const causes: FieldCause[] = [];
  if (items['nullable'] === true) {
    const detail = `cannot be nullable when ${LIST_TYPE} is ${listType}`;
    causes.push(fieldForbidden(`${path}.items.nullable`, detail));
  }
  if (listType === 'set') return causes;
  const required = new Set(textsAt(items, 'required'));
  for (const key of textsAt(schema, MAP_KEYS)) {
    const property = recordAt(items, 'properties', key);
    if (property === undefined) continue;
    const field = `${path}.items.properties[${key}]`;
    const because = `this property is in ${MAP_KEYS}, so it`;
    if (!required.has(key) && valueAt(property, 'default') === undefined) {
      const detail = `${because} must have a default or be a required property`;
      causes.push(fieldRequired(`${field}.default`, detail));
    }
    if (property['nullable'] === true) {
      causes.push(fieldForbidden(`${field}.nullable`, `${because} cannot be nullable`));
    }
  }
  return causes;
}

const NEWLINE = /[\n\r]/;
const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** Checks of rules in CEL that do not parse CEL: texts, reasons and paths. */
function celRuleCauses(schema: JsonRecord, path: string): FieldCause[] {
  return recordsAt(schema, 'x-kubernetes-validations').flatMap((rule, index) =>
    ruleCauses(schema, rule, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function ruleCauses(schema: JsonRecord, rule: JsonRecord, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const text = textAt(rule, 'rule').trim();
  const message = textAt(rule, 'message');
  const plain = message.trim();
  if (text === '') causes.push(fieldRequired(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && plain === '') {
    causes.push(fieldInvalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (NEWLINE.test(plain)) {
    causes.push(fieldInvalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (NEWLINE.test(text) && plain === '') {
    const detail = 'message must be specified if rule contains line breaks';
    causes.push(fieldRequired(`${path}.message`, detail));
  }
  const expression = textAt(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    causes.push(fieldRequired(`${path}.messageExpression`, detail));
  }
  const reason = valueAt(rule, 'reason');
  if (reason !== undefined && !REASONS.includes(reason as string)) {
    causes.push(fieldNotSupported(`${path}.reason`, reason, REASONS));
  }
  const fieldPath = textAt(rule, 'fieldPath');
  const at = `${path}.fieldPath`;
  if (fieldPath !== '' && fieldPath.trim() === '') {
    causes.push(fieldInvalid(at, fieldPath, 'must be non-empty if specified'));
  }
  if (NEWLINE.test(fieldPath)) {
    causes.push(fieldInvalid(at, fieldPath, 'must not contain line breaks'));
  }
  const isWrong =
    fieldPath !== '' &&
    unsupportedMember(schema) === undefined &&
    'problem' in schemaAt(schema, fieldPath, true);
  if (isWrong) causes.push(fieldInvalid(at, fieldPath, 'must be a valid path'));
  return causes;
}

export const SCHEMA_TYPES: readonly string[] = [
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
];
const METADATA: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** Rules that are not enforced when the stored definition already breaks them. */
export interface SchemaRuleOptions {
  readonly requiresTypes: boolean;
  readonly requiresAtomicSets: boolean;
  readonly requiresMapKeys: boolean;
}

interface Context {
  readonly options: SchemaRuleOptions;
  /** Why there may be no default here; undefined where there may. */
  readonly noDefaults: string | undefined;
  readonly inMetadata: boolean;
}

const UNSUPPORTED: readonly string[] = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
];

/**
 * The rules of API servers for a schema, apart from its being structural.
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go ValidateCustomResourceDefinitionOpenAPISchema @ v0.36.3
 */
export function schemaCauses(
  schema: JsonRecord,
  path: string,
  options: SchemaRuleOptions,
): FieldCause[] {
  const causes: FieldCause[] = [];
  checkSchema(schema, path, { options, noDefaults: undefined, inMetadata: false }, true, causes);
  return causes;
}

function checkSchema(
  schema: JsonRecord,
  path: string,
  context: Context,
  isRoot: boolean,
  causes: FieldCause[],
): void {
  checkNode(schema, path, context, causes);
  if (schema['uniqueItems'] === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(fieldForbidden(`${path}.uniqueItems`, detail));
  }
  const inner = (one: unknown, name: string, within: Context = context): void => {
    if (isRecord(one)) checkSchema(one, `${path}.${name}`, within, false, causes);
  };
  checkAdditional(schema, path, context, causes, inner);
  for (const [name, property] of propertiesOf(schema)) {
    const isMeta =
      (isRoot || isSet(schema, 'x-kubernetes-embedded-resource')) && METADATA.has(name);
    const noDefaults = isMeta && isRoot ? ` in top-level ${name}` : context.noDefaults;
    const within = isMeta ? { ...context, inMetadata: true, noDefaults } : context;
    inner(property, `properties[${name}]`, within);
  }
  inner(schema['not'], 'not');
  for (const group of ['allOf', 'oneOf', 'anyOf']) {
    if (schema[group] === undefined) continue;
    for (const [index, one] of recordsAt(schema, group).entries()) inner(one, `${group}[${index}]`);
  }
  innerOfMap(schema, 'definitions', inner);
  const { items } = schema;
  if (Array.isArray(items))
    for (const [index, one] of items.entries()) inner(one, `items[${index}]`);
  else inner(items, 'items');
  innerOfMap(schema, 'dependencies', inner);
  checkExtensions(schema, path, context, causes);
}

function innerOfMap(
  schema: JsonRecord,
  name: string,
  inner: (one: unknown, name: string) => void,
): void {
  if (schema[name] === undefined) return;
  for (const [key, one] of Object.entries(recordAt(schema, name) ?? {}))
    inner(one, `${name}[${key}]`);
}

function checkAdditional(
  schema: JsonRecord,
  path: string,
  context: Context,
  causes: FieldCause[],
  inner: (one: unknown, name: string, within?: Context) => void,
): void {
  const additional = schema['additionalProperties'];
  if (additional === undefined) return;
  if (propertiesOf(schema).length > 0 && additional !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    causes.push(fieldForbidden(`${path}.additionalProperties`, detail));
  }
  const noDefaults = ' inside additionalProperties applying to object metadata';
  inner(
    additional,
    'additionalProperties',
    context.inMetadata ? { ...context, noDefaults } : context,
  );
}

function checkNode(
  schema: JsonRecord,
  path: string,
  { options, noDefaults, inMetadata }: Context,
  causes: FieldCause[],
): void {
  const type = textAt(schema, 'type');
  if (options.requiresTypes && type !== '' && !SCHEMA_TYPES.includes(type)) {
    causes.push(fieldNotSupported(`${path}.type`, type, SCHEMA_TYPES));
  }
  if (noDefaults !== undefined && schema['default'] !== undefined) {
    causes.push(fieldForbidden(`${path}.default`, `must not be set${noDefaults}`));
  }
  for (const name of UNSUPPORTED) {
    if (schema[name] === undefined) continue;
    causes.push(fieldForbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    causes.push(fieldForbidden(`${path}.type`, detail));
  }
  if (Array.isArray(schema['items'])) {
    const detail = 'items must be a schema object and not an array';
    causes.push(fieldForbidden(`${path}.items`, detail));
  }
  if (inMetadata && isSet(schema, 'x-kubernetes-embedded-resource')) {
    const field = `${path}.x-kubernetes-embedded-resource`;
    causes.push(fieldForbidden(field, 'must not be used inside of resource meta'));
  }
}

function checkExtensions(
  schema: JsonRecord,
  path: string,
  { options }: Context,
  causes: FieldCause[],
): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    causes.push(fieldInvalid(field, false, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    causes.push(...typeForExtension(schema, path, 'object', 'x-kubernetes-map-type'));
    const types = ['atomic', 'granular'];
    if (!types.includes(mapType as string)) {
      causes.push(fieldNotSupported(`${path}.x-kubernetes-map-type`, mapType, types));
    }
  }
  if (schema[LIST_TYPE] !== undefined || schema[MAP_KEYS] !== undefined) {
    causes.push(...listTypeCauses(schema, path, options.requiresAtomicSets));
    if (options.requiresMapKeys) causes.push(...keysOfListCauses(schema, path));
  }
  if (schema['x-kubernetes-validations'] !== undefined) causes.push(...celRuleCauses(schema, path));
}

/** Members that a schema may have at its root when there is a status subresource. */
const ALLOWED_AT_ROOT: ReadonlySet<string> = new Set(
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'.split(
    ' ',
  ),
);

/** The status is checked by its own part of the schema, so that the root may say nothing that would be lost. */
export function rootCauses(schema: JsonRecord, path: string, hasStatus: boolean): FieldCause[] {
  const causes: FieldCause[] = [];
  if (hasStatus) causes.push(...statusRootCauses(schema, path));
  if (schema['nullable'] === true) {
    causes.push(fieldForbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  return causes;
}

/** The first member that may not be at the root beside a status subresource. */
function statusRootCauses(schema: JsonRecord, path: string): FieldCause[] {
  const type = textAt(schema, 'type');
  for (const { goName, print } of schemaGoMembers(schema)) {
    if (goName === 'Type' && type !== '' && type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [fieldInvalid(`${path}.type`, type, detail)];
    }
    if (ALLOWED_AT_ROOT.has(goName)) continue;
    const value = print();
    if (value === null || value === '' || value === false) continue;
    const detail = `only [${[...ALLOWED_AT_ROOT].join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [fieldInvalid(path, schemaGoForm(schema), detail)];
  }
  return [];
}
