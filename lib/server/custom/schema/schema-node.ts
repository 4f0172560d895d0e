import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { GoPattern } from '../pattern/go-pattern.ts';
import { isSupportedFormat, textFormat, type TextFormat } from './text-formats.ts';

/** A schema of a definition, read once, in the form in which objects are checked against it. */
export interface SchemaNode {
  /** None for a value of any type. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** Empty for one that is not checked. */
  readonly format: string;
  readonly hasFormat: TextFormat | undefined;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly additional: SchemaNode | undefined;
  /** Whether properties without a schema are kept and allowed. */
  readonly allowsAdditional: boolean | undefined;
  readonly items: SchemaNode | undefined;
  readonly preserves: boolean;
  readonly embedded: boolean;
  readonly listType: string;
  readonly listKeys: readonly string[];
  readonly fallback: unknown;
  readonly required: readonly string[];
  readonly values: readonly unknown[];
  readonly pattern: string;
  readonly compiledPattern: GoPattern | undefined;
  readonly limits: SchemaLimits;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly hasRules: boolean;
  /** Whether the node or one below it says something about defaults, embedded objects or kinds of lists. */
  readonly deep: DeepTraits;
}

export interface SchemaLimits {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

export interface DeepTraits {
  readonly embedded: boolean;
  readonly lists: boolean;
  readonly rules: boolean;
}

/**
 * Reads a schema. It must be valid; what cannot be read is as if it were not there.
 * @param types 'as-written': a value that is an integer or a text may be of any type, as where API servers check defaults
 * @see apiextensions-apiserver pkg/apiserver/validation/validation.go ConvertJSONSchemaProps @ v0.36.3
 */
export function schemaNode(schema: JsonRecord, types?: 'as-written'): SchemaNode {
  const read = (inner: JsonRecord): SchemaNode => schemaNode(inner, types);
  const child = (name: string): SchemaNode | undefined => {
    const inner = recordAt(schema, name);
    return inner === undefined ? undefined : read(inner);
  };
  const children = (name: string): SchemaNode[] => recordsAt(schema, name).map(read);
  const ownTypes = typesOf(schema, types === 'as-written');
  const format = textAt(schema, 'format');
  const checked = isSupportedFormat(format, ownTypes) ? format : '';
  const additional = child('additionalProperties');
  const { additionalProperties } = schema;
  const pattern = textAt(schema, 'pattern');
  const values = schema['enum'];
  const node = {
    types: ownTypes,
    nullable: schema['nullable'] === true,
    format: checked,
    hasFormat: textFormat(checked),
    properties: propertyNodes(schema, read),
    additional,
    allowsAdditional: typeof additionalProperties === 'boolean' ? additionalProperties : undefined,
    items: child('items'),
    preserves: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: schema['x-kubernetes-embedded-resource'] === true,
    listType: textAt(schema, 'x-kubernetes-list-type'),
    listKeys: textsAt(schema, 'x-kubernetes-list-map-keys'),
    fallback: schema['default'] ?? undefined,
    required: textsAt(schema, 'required'),
    values: Array.isArray(values) ? (values as unknown[]) : [],
    pattern,
    compiledPattern: compiled(pattern),
    limits: limitsOf(schema),
    allOf: children('allOf'),
    anyOf: children('anyOf'),
    oneOf: children('oneOf'),
    not: child('not'),
    hasRules: recordsAt(schema, 'x-kubernetes-validations').length > 0,
  };
  return { deep: deepTraits(node), ...node };
}

function propertyNodes(
  schema: JsonRecord,
  read: (inner: JsonRecord) => SchemaNode,
): ReadonlyMap<string, SchemaNode> {
  const nodes = new Map<string, SchemaNode>();
  for (const [name, property] of Object.entries(recordAt(schema, 'properties') ?? {})) {
    if (isRecord(property)) nodes.set(name, read(property));
  }
  return nodes;
}

function typesOf(schema: JsonRecord, asWritten: boolean): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true && !asWritten) return ['integer', 'string'];
  const type = textAt(schema, 'type');
  return type === '' ? [] : [type];
}

function compiled(pattern: string): GoPattern | undefined {
  if (pattern === '') return undefined;
  try {
    return new GoPattern(pattern);
  } catch {
    return undefined;
  }
}

function limitsOf(schema: JsonRecord): SchemaLimits {
  const limit = (name: string): number | undefined =>
    typeof schema[name] === 'number' ? numberAt(schema, name) : undefined;
  return {
    minimum: limit('minimum'),
    maximum: limit('maximum'),
    exclusiveMinimum: schema['exclusiveMinimum'] === true,
    exclusiveMaximum: schema['exclusiveMaximum'] === true,
    multipleOf: limit('multipleOf'),
    minLength: limit('minLength'),
    maxLength: limit('maxLength'),
    minItems: limit('minItems'),
    maxItems: limit('maxItems'),
    minProperties: limit('minProperties'),
    maxProperties: limit('maxProperties'),
  };
}

function deepTraits({
  properties,
  additional,
  items,
  embedded,
  listType,
  hasRules,
}: Omit<SchemaNode, 'deep'>): DeepTraits {
  const children = [...properties.values(), additional, items].filter((one) => one !== undefined);
  return {
    embedded: embedded || children.some(({ deep }) => deep.embedded),
    lists: listType === 'set' || listType === 'map' || children.some(({ deep }) => deep.lists),
    rules: hasRules || children.some(({ deep }) => deep.rules),
  };
}
