import { isRecord, setOwn, type JsonRecord } from '../../../../meta/json-value.ts';

type Form = (value: unknown) => unknown;

const asIs: Form = (value) => value;
const schema: Form = (value) => (isRecord(value) ? schemaGoForm(value) : null);
const schemas: Form = (value) => (Array.isArray(value) ? value.map(schema) : null);
const schemaMap: Form = (value) => mapForm(value, schema);
const schemaOrArray: Form = (value) => ({
  Schema: schema(value),
  JSONSchemas: schemas(value),
});
const schemaOrBool: Form = (value) => ({
  Allows: value === true || isRecord(value),
  Schema: schema(value),
});
const schemaOrTexts: Form = (value) => ({
  Schema: schema(value),
  Property: Array.isArray(value) ? value : null,
});
const docs: Form = (value) =>
  isRecord(value) ? { Description: value['description'] ?? '', URL: value['url'] ?? '' } : null;
const rules: Form = (value) => (Array.isArray(value) ? value.map(ruleGoForm) : null);

/** The members of the internal type in their order: Go's name, the name in JSON, the form, and the zero value. */
const MEMBERS: readonly (readonly [string, string, unknown, Form?])[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null, schemaOrArray],
  ['AllOf', 'allOf', null, schemas],
  ['OneOf', 'oneOf', null, schemas],
  ['AnyOf', 'anyOf', null, schemas],
  ['Not', 'not', null, schema],
  ['Properties', 'properties', null, schemaMap],
  ['AdditionalProperties', 'additionalProperties', null, schemaOrBool],
  ['PatternProperties', 'patternProperties', null, schemaMap],
  ['Dependencies', 'dependencies', null, (value) => mapForm(value, schemaOrTexts)],
  ['AdditionalItems', 'additionalItems', null, schemaOrBool],
  ['Definitions', 'definitions', null, schemaMap],
  ['ExternalDocs', 'externalDocs', null, docs],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null, rules],
];

/**
 * A schema as kube-apiserver prints its internal type.
 * @see apiextensions-apiserver pkg/apis/apiextensions/types_jsonschema.go @ v0.36.3
 */
export function schemaGoForm(value: JsonRecord): JsonRecord {
  const form: JsonRecord = {};
  for (const { goName, print } of schemaGoMembers(value)) form[goName] = print();
  return form;
}

/** The members of a schema in the order of the internal type. Each is printed when it is asked for: schemas in it may be large. */
export function* schemaGoMembers(
  value: JsonRecord,
): Generator<{ readonly goName: string; readonly print: () => unknown }> {
  for (const [goName, name, zero, formOf = asIs] of MEMBERS) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    const isUnset = member === undefined || member === null;
    yield { goName, print: () => (isUnset ? zero : formOf(member)) };
  }
}

/** `items` of a schema as it is printed. */
export function itemsGoForm(items: unknown): unknown {
  return schemaOrArray(items);
}

/** A rule in CEL as it is printed. */
export function ruleGoForm(rule: unknown): JsonRecord {
  const of = isRecord(rule) ? rule : {};
  return {
    Rule: of['rule'] ?? '',
    Message: of['message'] ?? '',
    MessageExpression: of['messageExpression'] ?? '',
    Reason: of['reason'] ?? null,
    FieldPath: of['fieldPath'] ?? '',
    OptionalOldSelf: of['optionalOldSelf'] ?? null,
  };
}

function mapForm(value: unknown, formOf: Form): unknown {
  if (!isRecord(value)) return null;
  const form: JsonRecord = {};
  for (const name of Object.keys(value).toSorted()) setOwn(form, name, formOf(value[name]));
  return form;
}
