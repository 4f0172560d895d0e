import type { FieldCause } from '../../../meta/failures.ts';
import {
  fieldDuplicate,
  fieldImmutable,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../rules/field-causes.ts';
import { compileJsonPath } from './json-path.ts';
import {
  defaultTo,
  ensureRecord,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../rules/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { dns1035LabelProblem, dnsSubdomainProblem } from '../rules/name-validation.ts';
import { schemaWarnings } from './schema-warnings.ts';

const SCOPES = ['Cluster', 'Namespaced'];
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const SCHEMA_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Sets the optional names of a definition. */
export function setDefinitionDefaults(definition: MutableObject): void {
  const spec = recordAt(definition, 'spec');
  if (spec === undefined) return;
  const names = ensureRecord(spec, 'names');
  const kind = textAt(names, 'kind');
  if (names !== undefined && kind !== '') {
    defaultTo(names, 'singular', kind.toLowerCase());
    defaultTo(names, 'listKind', `${kind}List`);
  }
  const conversion = ensureRecord(spec, 'conversion');
  if (conversion !== undefined) defaultTo(conversion, 'strategy', 'None');
}

/** The versions of a definition. */
export function versionsOf(definition: unknown): JsonRecord[] {
  return recordsAt(definition, 'spec', 'versions');
}

/** The version in which objects are stored. */
export function storageVersionOf(definition: unknown): JsonRecord | undefined {
  return versionsOf(definition).find((one) => one['storage'] === true);
}

/** Whether a condition of the definition is True. */
export function hasCondition(definition: unknown, type: string): boolean {
  const conditions = recordsAt(definition, 'status', 'conditions');
  return conditions.some((one) => one['type'] === type && one['status'] === 'True');
}

/** Sets a condition; its time changes only with its status. Replaces the status object, which may be shared. */
export function setCondition(
  definition: MutableObject,
  condition: {
    readonly type: string;
    readonly status: 'True' | 'False';
    readonly reason: string;
    readonly message: string;
  },
  now: string,
): void {
  const others = recordsAt(definition, 'status', 'conditions');
  const before = others.find((one) => one['type'] === condition.type);
  const lastTransitionTime =
    before?.['status'] === condition.status ? before['lastTransitionTime'] : now;
  const next = { lastTransitionTime, ...condition };
  const conditions =
    before === undefined
      ? [...others, next]
      : others.map((one) => (one['type'] === condition.type ? next : one));
  definition['status'] = { ...recordAt(definition, 'status'), conditions };
}

/** @see apiextensions-apiserver pkg/apis/apiextensions/validation @ 24a394e */
export function validateDefinition(definition: MutableObject): FieldCause[] {
  const spec = recordAt(definition, 'spec');
  if (spec === undefined) return [fieldRequired('spec')];
  return [
    ...validateNames(definition, spec),
    ...validateVersions(spec),
    ...validateConversion(spec),
  ];
}

function validateNames({ metadata }: MutableObject, spec: JsonRecord): FieldCause[] {
  const causes: FieldCause[] = [];
  const group = textAt(spec, 'group');
  if (group === '') causes.push(fieldRequired('spec.group'));
  else if (!group.includes('.')) {
    causes.push(fieldInvalid('spec.group', group, 'should be a domain with at least one dot'));
  } else {
    const problem = dnsSubdomainProblem(group);
    if (problem !== undefined) causes.push(fieldInvalid('spec.group', group, problem));
  }
  if (!SCOPES.includes(textAt(spec, 'scope'))) {
    causes.push(fieldNotSupported('spec.scope', spec['scope'], SCOPES));
  }
  const plural = textAt(spec, 'names', 'plural');
  for (const [field, name] of [
    ['spec.names.plural', plural],
    ['spec.names.singular', textAt(spec, 'names', 'singular')],
    ['spec.names.kind', textAt(spec, 'names', 'kind').toLowerCase()],
    ['spec.names.listKind', textAt(spec, 'names', 'listKind').toLowerCase()],
  ] as const) {
    const problem = name === '' ? undefined : dns1035LabelProblem(name);
    if (name === '') causes.push(fieldRequired(field));
    else if (problem !== undefined) causes.push(fieldInvalid(field, name, problem));
  }
  for (const field of ['shortNames', 'categories']) {
    for (const [index, name] of textsAt(spec, 'names', field).entries()) {
      const problem = dns1035LabelProblem(name);
      const at = `spec.names.${field}[${index}]`;
      if (problem !== undefined) causes.push(fieldInvalid(at, name, problem));
    }
  }
  if (metadata.name !== `${plural}.${group}`) {
    const rule = `must be spec.names.plural+"."+spec.group`;
    causes.push(fieldInvalid('metadata.name', metadata.name, rule));
  }
  return causes;
}

function validateVersions(spec: JsonRecord): FieldCause[] {
  const versions = recordsAt(spec, 'versions');
  if (versions.length === 0) {
    return [fieldRequired('spec.versions', 'must have at least one version')];
  }
  const causes: FieldCause[] = [];
  const names = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}]`;
    const name = textAt(version, 'name');
    const problem = dns1035LabelProblem(name);
    if (problem !== undefined) causes.push(fieldInvalid(`${field}.name`, name, problem));
    if (names.has(name)) causes.push(fieldDuplicate(`${field}.name`, name));
    names.add(name);
    causes.push(...validateVersion(version, field));
  }
  if (versions.filter((one) => one['storage'] === true).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    causes.push(fieldInvalid('spec.versions', [...names], detail));
  }
  return causes;
}

function validateVersion(version: JsonRecord, field: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const schema = recordAt(version, 'schema', 'openAPIV3Schema');
  const schemaField = `${field}.schema.openAPIV3Schema`;
  if (schema === undefined) causes.push(fieldRequired(schemaField, 'schemas are required'));
  else if (schema['type'] !== 'object') {
    causes.push(fieldInvalid(`${schemaField}.type`, schema['type'], 'must be object at the root'));
  } else causes.push(...validateSchema(schema, schemaField));
  for (const [index, column] of recordsAt(version, 'additionalPrinterColumns').entries()) {
    causes.push(...validateColumn(column, `${field}.additionalPrinterColumns[${index}]`));
  }
  for (const [index, one] of recordsAt(version, 'selectableFields').entries()) {
    causes.push(...validatePath(one, `${field}.selectableFields[${index}].jsonPath`));
  }
  const scale = recordAt(version, 'subresources', 'scale');
  for (const name of scale === undefined ? [] : ['specReplicasPath', 'statusReplicasPath']) {
    const path = textAt(scale, name);
    const root = name === 'specReplicasPath' ? '.spec.' : '.status.';
    if (!path.startsWith(root)) {
      const rule = `should be a json path under ${root.slice(0, -1)}`;
      causes.push(fieldInvalid(`${field}.subresources.scale.${name}`, path, rule));
    }
  }
  return causes;
}

function validateColumn(column: JsonRecord, field: string): FieldCause[] {
  const causes: FieldCause[] = validatePath(column, `${field}.jsonPath`);
  if (textAt(column, 'name') === '') causes.push(fieldRequired(`${field}.name`));
  if (!COLUMN_TYPES.includes(textAt(column, 'type'))) {
    causes.push(fieldNotSupported(`${field}.type`, column['type'], COLUMN_TYPES));
  }
  return causes;
}

function validatePath(holder: JsonRecord, field: string): FieldCause[] {
  const path = textAt(holder, 'jsonPath');
  if (path === '') return [fieldRequired(field)];
  if (path.startsWith('.') && compileJsonPath(path) !== undefined) return [];
  return [fieldInvalid(field, path, 'must be a simple json path starting with .')];
}

/** Checks the types of a schema; of the deeper rules, only the supported ones. */
function validateSchema(schema: JsonRecord, field: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const { type } = schema;
  if (type !== undefined && type !== '' && !(SCHEMA_TYPES as readonly unknown[]).includes(type)) {
    causes.push(fieldNotSupported(`${field}.type`, type, SCHEMA_TYPES));
  }
  for (const [name, property] of Object.entries(recordAt(schema, 'properties') ?? {})) {
    const inner = recordAt({ property }, 'property');
    const at = `${field}.properties[${name}]`;
    if (inner === undefined) causes.push(fieldInvalid(at, property, 'must be a schema'));
    else causes.push(...validateSchema(inner, at));
  }
  for (const name of ['items', 'additionalProperties']) {
    const inner = recordAt(schema, name);
    if (inner !== undefined) causes.push(...validateSchema(inner, `${field}.${name}`));
  }
  if (type === 'array' && recordAt(schema, 'items') === undefined) {
    causes.push(fieldRequired(`${field}.items`, 'must be specified'));
  }
  return causes;
}

/** Only the strategy that changes the apiVersion is supported; webhooks are not called. */
function validateConversion(spec: JsonRecord): FieldCause[] {
  const strategy = valueAt(spec, 'conversion', 'strategy');
  if (strategy === undefined || strategy === 'None') return [];
  return [fieldNotSupported('spec.conversion.strategy', strategy, ['None'])];
}

/** The rules of all versions that this server does not enforce. */
export function definitionWarnings(definition: unknown): string[] {
  return versionsOf(definition).flatMap((version, index) => {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    return schemaWarnings(valueAt(version, 'schema', 'openAPIV3Schema'), field);
  });
}

export function validateDefinitionUpdate(
  definition: MutableObject,
  existing: MutableObject,
): FieldCause[] {
  const causes = validateDefinition(definition);
  for (const path of [
    ['spec', 'group'],
    ['spec', 'scope'],
    ['spec', 'names', 'plural'],
    ['spec', 'names', 'kind'],
  ]) {
    const value = valueAt(definition, ...path);
    if (value !== valueAt(existing, ...path)) causes.push(fieldImmutable(path.join('.'), value));
  }
  const names = new Set(versionsOf(definition).map((one) => textAt(one, 'name')));
  for (const [index, stored] of textsAt(definition, 'status', 'storedVersions').entries()) {
    if (!names.has(stored)) {
      const detail = `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
      causes.push(fieldInvalid(`status.storedVersions[${index}]`, stored, detail));
    }
  }
  return causes;
}
