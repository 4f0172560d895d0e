import { withoutReason } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { jsonEqual, recordAt, textAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import { storageVersionOf } from '../definition/custom-resource-definition.ts';
import { coerceEmbedded } from '../schema/embedded-objects.ts';
import { setDefaults } from '../schema/defaults.ts';
import { pruneObject } from '../schema/prune.ts';
import { LazySchema } from '../schema/lazy-schema.ts';

/**
 * Removes from converted objects what the schema of their version does not have. The stored form gets its
 * defaults, which API servers set when they read it. Changes the object.
 * @see apiextensions-apiserver pkg/apiserver/customresource_handler.go schemaCoercingConverter @ v0.36.3
 */
export function contentOf(
  definition: unknown,
  version: JsonRecord,
  { defaults }: { readonly defaults: boolean },
): (object: UnstructuredObject) => UnstructuredObject {
  const schema = new LazySchema(recordAt(version, 'schema', 'openAPIV3Schema') ?? {});
  const preserves = valueAt(definition, 'spec', 'preserveUnknownFields') === true;
  return (object) => {
    const content = object as JsonRecord;
    const { node } = schema;
    if (!preserves) pruneObject(content, node);
    const wrong = coerceEmbedded(content, node, { onUnknown: () => {} });
    if (wrong !== undefined) throw withoutReason(`${wrong.field}: ${wrong.message}`);
    if (defaults) setDefaults(content, node);
    return object;
  };
}

/**
 * Gives an object of one version the content of the stored one, where no webhook converts: API servers read what they have written by
 * the schema of the stored version. Undefined if both versions have the same schema.
 */
export function storedContentOf(
  definition: unknown,
  version: JsonRecord,
): ((object: UnstructuredObject) => UnstructuredObject) | undefined {
  if (textAt(definition, 'spec', 'conversion', 'strategy') === 'Webhook') return undefined;
  const stored = storageVersionOf(definition);
  if (stored === undefined || jsonEqual(stored['schema'], version['schema'])) return undefined;
  return contentOf(definition, stored, { defaults: true });
}
