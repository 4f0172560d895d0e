import { isRecord, recordAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Members, OpenApiVersion } from './document-content.ts';

/** The fields that every object has, in the version of OpenAPI of the document: by name, as JSON. */
export interface ObjectFields {
  /** `apiVersion`, `kind` and `metadata` of an object. */
  readonly own: Members;
  /** The same of an object in a field with `x-kubernetes-embedded-resource`. */
  readonly embedded: Members;
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
 * The schema of a custom resource, as OpenAPI publishes it: its members as JSON, which is written at once, because a definition may have
 * thousands of schemas.
 * @param declared `openAPIV3Schema` of the definition
 * @see apiextensions-apiserver pkg/controller/openapi/builder/builder.go buildKubeNative @ 24a394e
 */
export function publishedSchema(
  version: OpenApiVersion,
  declared: JsonRecord,
  fields: ObjectFields,
): Members {
  // kubectl would refuse unknown fields if it knew any.
  if (version === 'v2' && keepsUnknown(declared)) return new Map([['type', '"object"']]);
  return new SchemaText(version, fields).root(declared);
}

/** Writes the schemas of one resource as JSON. */
class SchemaText {
  readonly #isV2: boolean;
  readonly #fields: ObjectFields;

  constructor(version: OpenApiVersion, fields: ObjectFields) {
    this.#isV2 = version === 'v2';
    this.#fields = fields;
  }

  root(declared: JsonRecord): Members {
    const schema = this.#published(declared);
    const properties = this.#properties(schema['properties'], this.#fields.own);
    const members = new Map<string, string>();
    for (const place of membersInOrder({ properties: {}, ...schema })) {
      const member = MEMBERS[place] as Member;
      const text = member === 'properties' ? properties : this.#member(member, schema[member]);
      if (text !== undefined) members.set(member, text);
    }
    return members;
  }

  #schema(declared: JsonRecord): string {
    const schema = this.#published(declared);
    let text = '';
    for (const place of membersInOrder(schema)) {
      const member = MEMBERS[place] as Member;
      const value =
        member === 'properties' && this.#isWholeObject(schema)
          ? this.#properties(schema[member], this.#fields.embedded)
          : this.#member(member, schema[member]);
      if (value !== undefined) text += `${text === '' ? '' : ','}"${member}":${value}`;
    }
    return `{${text}}`;
  }

  /** The declared schema with the changes that the version of OpenAPI needs. */
  #published(declared: JsonRecord): JsonRecord {
    const schema = this.#isV2 ? forVersion2(declared) : withIntOrString(declared);
    if (!this.#isWholeObject(schema)) return schema;
    const required = textsAt(schema, 'required');
    const added = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
    return { properties: {}, ...schema, required: [...required, ...added] };
  }

  #isWholeObject(schema: JsonRecord): boolean {
    return (
      schema['x-kubernetes-embedded-resource'] === true && !(this.#isV2 && keepsUnknown(schema))
    );
  }

  /** Undefined for a member that is left out. */
  #member(member: Member, value: unknown): string | undefined {
    if (this.#isV2 && NOT_IN_V2.has(member)) return undefined;
    switch (member) {
      case 'default':
      case 'example':
        return value === null ? undefined : JSON.stringify(value);
      case 'items':
      case 'not':
        return isRecord(value) ? this.#schema(value) : undefined;
      case 'allOf':
      case 'oneOf':
      case 'anyOf':
        return Array.isArray(value) && value.length > 0 ? this.#list(value) : undefined;
      case 'additionalProperties':
        if (isRecord(value)) return this.#schema(value);
        return value === true ? 'true' : undefined;
      case 'properties':
        return this.#properties(value, NO_MEMBERS);
      case 'x-kubernetes-validations':
        return isEmpty(value) ? undefined : JSON.stringify(rulesInOrder(value, this.#isV2));
      default:
        return isEmpty(value) ? undefined : JSON.stringify(value);
    }
  }

  #list(schemas: readonly unknown[]): string {
    return `[${schemas.flatMap((one) => (isRecord(one) ? [this.#schema(one)] : [])).join(',')}]`;
  }

  /** The properties in the order of their names. @param others Properties that are written already, which come before those declared. */
  #properties(declared: unknown, others: Members): string | undefined {
    const properties = isRecord(declared) ? declared : {};
    const names = Object.keys(properties).filter(
      (name) => isRecord(properties[name]) && !others.has(name),
    );
    if (names.length + others.size === 0) return undefined;
    let text = '';
    for (const name of [...names, ...others.keys()].toSorted()) {
      const schema = others.get(name) ?? this.#schema(properties[name] as JsonRecord);
      text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${schema}`;
    }
    return `{${text}}`;
  }
}

const NO_MEMBERS: Members = new Map();

const ORDER: ReadonlyMap<string, number> = new Map(MEMBERS.map((member, index) => [member, index]));

/** The members of a schema that are published, by their places in `MEMBERS`. Most schemas have three or four. */
function membersInOrder(schema: JsonRecord): readonly number[] {
  const places: number[] = [];
  for (const name of Object.keys(schema)) {
    const place = ORDER.get(name);
    if (place === undefined) continue;
    let at = places.length;
    for (; at > 0 && (places[at - 1] as number) > place; at -= 1) {
      places[at] = places[at - 1] as number;
    }
    places[at] = place;
  }
  return places;
}

const RULE_MEMBERS = [
  'rule',
  'message',
  'messageExpression',
  'reason',
  'fieldPath',
  'optionalOldSelf',
];

const SORTED_RULE_MEMBERS = RULE_MEMBERS.toSorted();

/** Version 2 has the members of a rule in the order of their names. */
function rulesInOrder(rules: unknown, isV2: boolean): JsonRecord[] {
  return (Array.isArray(rules) ? rules.filter(isRecord) : []).map((rule) => {
    const ordered: JsonRecord = {};
    for (const name of isV2 ? SORTED_RULE_MEMBERS : RULE_MEMBERS) {
      if (!isEmpty(rule[name])) ordered[name] = rule[name];
    }
    return ordered;
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
  const nullable = declared['nullable'] === true;
  const leavesOut = nullable || keepsUnknown(declared);
  const isUntyped =
    nullable ||
    (declared['type'] === 'array' && !isRecord(declared['items'])) ||
    (declared['type'] === 'object' && keepsUnknown(declared));
  const required = requiredInVersion2(declared, leavesOut);
  if (!leavesOut && !isUntyped && required === declared['required']) return declared;
  const schema: JsonRecord = { ...declared, required };
  if (leavesOut) {
    delete schema['items'];
    delete schema['properties'];
  }
  // An array whose items were left out is one without items.
  if (isUntyped || (schema['type'] === 'array' && !isRecord(schema['items']))) {
    delete schema['type'];
  }
  return schema;
}

/** Without the properties that may be null. The declared list itself if nothing is left out. */
function requiredInVersion2(declared: JsonRecord, leavesOut: boolean): unknown {
  const { required, additionalProperties } = declared;
  if (!Array.isArray(required)) return undefined;
  if (isRecord(additionalProperties) && additionalProperties['nullable'] === true) return [];
  const properties = leavesOut ? {} : (recordAt(declared, 'properties') ?? {});
  const mayBeNull = (name: unknown): boolean =>
    typeof name !== 'string' || recordAt(properties, name)?.['nullable'] === true;
  return required.some(mayBeNull) ? required.filter((name) => !mayBeNull(name)) : required;
}

function keepsUnknown(schema: JsonRecord): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
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
