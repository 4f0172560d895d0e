import { withoutReason } from '../../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../../meta/object.ts';
import { recordAt, valueAt, type JsonRecord } from '../../rules/json-value.ts';
import { coerceEmbedded } from '../schema/embedded-objects.ts';
import { setDefaults } from '../schema/defaults.ts';
import { pruneObject } from '../schema/prune.ts';
import { schemaNode } from '../schema/schema-node.ts';

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
  const node = schemaNode(recordAt(version, 'schema', 'openAPIV3Schema') ?? {});
  const preserves = valueAt(definition, 'spec', 'preserveUnknownFields') === true;
  return (object) => {
    const content = object as JsonRecord;
    if (!preserves) pruneObject(content, node);
    const wrong = coerceEmbedded(content, node, { onUnknown: () => {} });
    if (wrong !== undefined) throw withoutReason(`${wrong.field}: ${wrong.message}`);
    if (defaults) setDefaults(content, node);
    return object;
  };
}
