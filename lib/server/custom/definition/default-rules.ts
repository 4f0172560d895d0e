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

/** A step into a value: the name of a property, or 0 for an item; undefined at the root of an embedded object. */
type Step = { readonly step: string | number; readonly before: Step } | undefined;

/** Where a default is in the embedded object around it. */
interface Surroundings {
  readonly schema: JsonRecord;
  readonly steps: Step;
  readonly isMetadata: boolean;
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
  checkDefaults(root, path, undefined, requiresPruned, causes);
  return causes;
}

function hasDefault(schema: JsonRecord): boolean {
  return schema['default'] !== undefined && schema['default'] !== null;
}

function checkDefaults(
  schema: JsonRecord,
  path: string,
  around: Surroundings | undefined,
  requiresPruned: boolean,
  causes: FieldCause[],
): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const inside =
    embedded || around === undefined ? { schema, steps: undefined, isMetadata: false } : around;
  if (hasDefault(schema)) {
    const value = schema['default'];
    const at = `${path}.default`;
    const node = schemaNode(schema, 'as-written');
    causes.push(
      ...(inside.isMetadata
        ? metadataCauses(value, node, at, inside)
        : plainCauses(value, node, at, requiresPruned)),
    );
  }
  const { items } = schema;
  if (isRecord(items)) {
    const within = { ...inside, steps: { step: 0, before: inside.steps } };
    checkDefaults(items, `${path}.items`, within, requiresPruned, causes);
  }
  for (const [name, property] of propertiesOf(schema)) {
    const isMetadata = inside.isMetadata || (embedded && METADATA.has(name));
    const within = { ...inside, steps: { step: name, before: inside.steps }, isMetadata };
    checkDefaults(property, `${path}.properties[${name}]`, within, requiresPruned, causes);
  }
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

function metadataCauses(
  value: unknown,
  node: SchemaNode,
  path: string,
  { schema, steps }: Surroundings,
): FieldCause[] {
  let object: unknown = structuredClone(value);
  for (let at = steps; at !== undefined; at = at.before) {
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
