import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { isRecord, jsonEqual, type JsonRecord } from '../../../meta/json-value.ts';
import { coerceEmbedded, embeddedCauses } from '../schema/embedded-objects.ts';
import { pruneValue } from '../schema/prune.ts';
import { schemaNode, type SchemaNode } from '../schema/schema-node.ts';
import { validateValue } from '../schema/validate-value.ts';
import { propertiesOf, someSchema } from './structure/schema-walk.ts';

const METADATA: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);
const TYPE = { apiVersion: 'validation/v1', kind: 'Validation' };

/** A schema in a schema: that of the property of this name, or 0 for that of the items; undefined at the root. */
type Place = { readonly step: string | 0; readonly before: Place } | undefined;

/** The embedded object around a default. */
interface Surroundings {
  readonly schema: JsonRecord;
  readonly place: Place;
  /** Whether the default is in its metadata. */
  readonly isMetadata: boolean;
}

interface Check {
  /** The path of the root. */
  readonly path: string;
  readonly requiresPruned: boolean;
  readonly causes: FieldCause[];
}

/**
 * Defaults have to follow their own schema. The schema must be structural.
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting/validation.go @ v0.36.3
 */
export function defaultCauses(
  schema: JsonRecord,
  path: string,
  requiresPruned: boolean,
): FieldCause[] {
  const causes: FieldCause[] = [];
  if (!someSchema(schema, hasDefault)) return causes;
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  checkDefaults(root, undefined, undefined, { path, requiresPruned, causes });
  return causes;
}

function hasDefault(schema: JsonRecord): boolean {
  return schema['default'] !== undefined && schema['default'] !== null;
}

/** Few schemas have a default, so that paths are written for those alone. */
function checkDefaults(
  schema: JsonRecord,
  place: Place,
  around: Surroundings | undefined,
  check: Check,
): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const inside = embedded || around === undefined ? { schema, place, isMetadata: false } : around;
  if (hasDefault(schema)) {
    const value = schema['default'];
    const at = `${pathOf(place, check.path)}.default`;
    const node = schemaNode(schema, 'as-written');
    check.causes.push(
      ...(inside.isMetadata
        ? metadataCauses({ value, node, place }, at, inside)
        : plainCauses(value, node, at, check.requiresPruned)),
    );
  }
  const { items } = schema;
  if (isRecord(items)) checkDefaults(items, { step: 0, before: place }, inside, check);
  for (const [name, property] of propertiesOf(schema)) {
    const entersMetadata = embedded && !inside.isMetadata && METADATA.has(name);
    const within = entersMetadata ? { ...inside, isMetadata: true } : inside;
    checkDefaults(property, { step: name, before: place }, within, check);
  }
}

function pathOf(place: Place, root: string): string {
  if (place === undefined) return root;
  const before = pathOf(place.before, root);
  return place.step === 0 ? `${before}.items` : `${before}.properties[${place.step}]`;
}

function plainCauses(
  value: unknown,
  node: SchemaNode,
  path: string,
  requiresPruned: boolean,
): FieldCause[] {
  const causes: FieldCause[] = [];
  if (requiresPruned) {
    const pruned = structuredClone(value);
    pruneValue(pruned, node);
    if (!jsonEqual(pruned, value)) {
      causes.push(fieldInvalid(path, value, 'must not have unknown fields'));
    }
  }
  const copy = structuredClone(value);
  const wrong = coerceEmbedded(copy, node, { path });
  if (wrong !== undefined) return [...causes, wrong];
  const embedded = embeddedCauses(copy, node, path);
  return [
    ...causes,
    ...(embedded.length > 0 ? embedded : validateValue(copy, node, { root: path })),
  ];
}

interface Default {
  readonly value: unknown;
  readonly node: SchemaNode;
  readonly place: Place;
}

function metadataCauses(
  { value, node, place }: Default,
  path: string,
  { schema, place: root }: Surroundings,
): FieldCause[] {
  let object: unknown = structuredClone(value);
  for (let at = place; at !== undefined && at !== root; at = at.before) {
    object = at.step === 0 ? [object] : { [at.step]: object };
  }
  const whole = { ...TYPE, ...(object as JsonRecord) };
  const around = schemaNode({ ...schema, 'x-kubernetes-embedded-resource': true }, 'as-written');
  const wrong = coerceEmbedded(whole, around, {});
  const found = wrong === undefined ? embeddedCauses(whole, around, '') : [wrong];
  if (found.length === 0) return validateValue(value, node, { root: path });
  const texts = found.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return [fieldInvalid(path, value, `must result in valid metadata: ${text}`)];
}
