import type { FieldCause } from '../../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
} from '../../../registry/rules/field-causes.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../../../meta/json-value.ts';
import { schemaGoForm } from './schema-go-form.ts';
import { celRuleCauses } from './cel-rules.ts';
import { isSet, propertiesOf } from './schema-walk.ts';
import { typeForExtension } from './type-for-extension.ts';
import { keysOfListCauses, listTypeCauses } from './list-type-rules.ts';

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
  const additional = valueAt(schema, 'additionalProperties');
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
  if (noDefaults !== undefined && valueAt(schema, 'default') !== undefined) {
    causes.push(fieldForbidden(`${path}.default`, `must not be set${noDefaults}`));
  }
  for (const name of UNSUPPORTED) {
    if (valueAt(schema, name) === undefined) continue;
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
  const mapType = valueAt(schema, 'x-kubernetes-map-type');
  if (mapType !== undefined) {
    causes.push(...typeForExtension(schema, path, 'object', 'x-kubernetes-map-type'));
    const types = ['atomic', 'granular'];
    if (!types.includes(mapType as string)) {
      causes.push(fieldNotSupported(`${path}.x-kubernetes-map-type`, mapType, types));
    }
  }
  causes.push(...listTypeCauses(schema, path, options.requiresAtomicSets));
  if (options.requiresMapKeys) causes.push(...keysOfListCauses(schema, path));
  causes.push(...celRuleCauses(schema, path));
}

/** Members that a schema may have at its root when there is a status subresource. */
const ALLOWED_AT_ROOT =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

/** The status is checked by its own part of the schema, so that the root may say nothing that would be lost. */
export function rootCauses(schema: JsonRecord, path: string, hasStatus: boolean): FieldCause[] {
  const causes: FieldCause[] = [];
  if (hasStatus) {
    const form = schemaGoForm(schema);
    const allowed = new Set(ALLOWED_AT_ROOT.split(' '));
    for (const [name, value] of Object.entries(form)) {
      if (value === null || value === '' || value === false) continue;
      if (name === 'Type' && value !== 'object') {
        const detail =
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
        causes.push(fieldInvalid(`${path}.type`, value, detail));
        break;
      }
      if (!allowed.has(name)) {
        const detail = `only [${ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`;
        causes.push(fieldInvalid(path, form, detail));
        break;
      }
    }
  }
  if (schema['nullable'] === true) {
    causes.push(fieldForbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  return causes;
}
