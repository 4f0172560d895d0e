import { isRecord, recordAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { OpenApiVersion } from './document-content.ts';

/** The fields that every object has, in the version of OpenAPI of the document. */
export interface ObjectFields {
  /** `apiVersion`, `kind` and `metadata` of an object. */
  readonly own: JsonRecord;
  /** The same of an object in a field with `x-kubernetes-embedded-resource`. */
  readonly embedded: JsonRecord;
}

/** The members of a published schema in the order in which Kubernetes writes them; others are no part of it. */
const MEMBERS = [
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  'externalDocs',
  'example',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const;

type Member = (typeof MEMBERS)[number];

/** Members that version 2 cannot express. */
const NOT_IN_V2: ReadonlySet<string> = new Set([
  'nullable',
  'default',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
]);

/**
 * The schema of a custom resource, as OpenAPI publishes it.
 * @param declared `openAPIV3Schema` of the definition
 * @see apiextensions-apiserver pkg/controller/openapi/builder/builder.go buildKubeNative @ 24a394e
 */
export function publishedSchema(
  version: OpenApiVersion,
  declared: JsonRecord,
  fields: ObjectFields,
): JsonRecord {
  // kubectl would refuse unknown fields if it knew any.
  if (version === 'v2' && keepsUnknown(declared)) return { type: 'object' };
  const root = publish(version, declared, fields);
  const properties = byName({ ...recordAt(root, 'properties'), ...fields.own });
  return withMembers(root, { properties });
}

function publish(version: OpenApiVersion, declared: JsonRecord, fields: ObjectFields): JsonRecord {
  const schema = version === 'v2' ? forVersion2(declared) : withIntOrString(declared);
  const below = (one: JsonRecord): JsonRecord => publish(version, one, fields);
  const published: JsonRecord = {};
  for (const member of MEMBERS) {
    if (version === 'v2' && NOT_IN_V2.has(member)) continue;
    const value = publishedMember(version, member, schema[member], below);
    if (value !== undefined) published[member] = value;
  }
  return isEmbedded(schema) && !(version === 'v2' && keepsUnknown(schema))
    ? withObjectFields(published, fields.embedded)
    : published;
}

/** Undefined for a member that is left out. */
function publishedMember(
  version: OpenApiVersion,
  member: Member,
  value: unknown,
  below: (schema: JsonRecord) => JsonRecord,
): unknown {
  switch (member) {
    case 'default':
    case 'example':
      return value === null ? undefined : value;
    case 'items':
    case 'not':
      return isRecord(value) ? below(value) : undefined;
    case 'allOf':
    case 'oneOf':
    case 'anyOf':
      return Array.isArray(value) && value.length > 0
        ? value.filter(isRecord).map(below)
        : undefined;
    case 'additionalProperties':
      return isRecord(value) ? below(value) : value === true || undefined;
    case 'properties': {
      const entries = Object.entries(isRecord(value) ? value : {}).flatMap(([name, one]) =>
        isRecord(one) ? [[name, below(one)] as const] : [],
      );
      return entries.length === 0 ? undefined : byName(Object.fromEntries(entries));
    }
    case 'x-kubernetes-validations':
      return isEmpty(value) ? undefined : rulesInOrder(value, version);
    default:
      return isEmpty(value) ? undefined : value;
  }
}

const RULE_MEMBERS = [
  'rule',
  'message',
  'messageExpression',
  'reason',
  'fieldPath',
  'optionalOldSelf',
];

/** Version 2 has the members of a rule in the order of their names. */
function rulesInOrder(rules: unknown, version: OpenApiVersion): JsonRecord[] {
  return (Array.isArray(rules) ? rules.filter(isRecord) : []).map((rule) => {
    const members = Object.fromEntries(
      RULE_MEMBERS.flatMap((name) => (isEmpty(rule[name]) ? [] : [[name, rule[name]] as const])),
    );
    return version === 'v2' ? byName(members) : members;
  });
}

/** The schema with other members, in the order of `MEMBERS`. */
function withMembers(schema: JsonRecord, members: JsonRecord): JsonRecord {
  const all = { ...schema, ...members };
  return Object.fromEntries(
    MEMBERS.flatMap((member) =>
      Object.hasOwn(all, member) ? [[member, all[member]] as const] : [],
    ),
  );
}

function withObjectFields(schema: JsonRecord, fields: JsonRecord): JsonRecord {
  const required = textsAt(schema, 'required');
  const added = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return withMembers(schema, {
    required: [...required, ...added],
    properties: byName({ ...recordAt(schema, 'properties'), ...fields }),
  });
}

/** A field that takes both gets an `anyOf` of the two types, unless the schema has it. */
function withIntOrString(schema: JsonRecord): JsonRecord {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema;
  const both = [{ type: 'integer' }, { type: 'string' }];
  const { anyOf, allOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0) {
    return hasBothTypes(Array.isArray(allOf) && isRecord(allOf[0]) ? allOf[0]['anyOf'] : undefined)
      ? schema
      : { ...schema, anyOf: both };
  }
  if (hasBothTypes(anyOf)) return schema;
  return {
    ...schema,
    allOf: [{ anyOf: both }, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])],
  };
}

function hasBothTypes(anyOf: unknown): boolean {
  return (
    Array.isArray(anyOf) &&
    anyOf.length === 2 &&
    ['integer', 'string'].every(
      (type, index) => isRecord(anyOf[index]) && anyOf[index]['type'] === type,
    )
  );
}

/**
 * Without all that version 2 and its clients cannot take.
 * @see apiextensions-apiserver pkg/controller/openapi/v2/conversion.go ToStructuralOpenAPIV2 @ 24a394e
 */
function forVersion2(declared: JsonRecord): JsonRecord {
  const schema = { ...declared };
  const nullable = schema['nullable'] === true;
  if (nullable || keepsUnknown(schema)) {
    delete schema['items'];
    delete schema['properties'];
  }
  if (nullable) delete schema['type'];
  if (schema['type'] === 'array' && !isRecord(schema['items'])) delete schema['type'];
  if (schema['type'] === 'object' && keepsUnknown(schema)) delete schema['type'];
  const properties = recordAt(schema, 'properties') ?? {};
  const mayBeNull = (name: string): boolean => recordAt(properties, name)?.['nullable'] === true;
  schema['required'] =
    recordAt(schema, 'additionalProperties')?.['nullable'] === true
      ? []
      : textsAt(schema, 'required').filter((name) => !mayBeNull(name));
  return schema;
}

function keepsUnknown(schema: JsonRecord): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function isEmbedded(schema: JsonRecord): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Values that are the same as none, and are left out. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

function byName(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
