import type { KindType } from '../../registry/contract/kind-definition.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import { DecodeProblems, TypedDecodeError } from '../../registry/typed/decode-problems.ts';
import { dropNulls, setDefaults } from '../schema/defaults.ts';
import { coerceEmbedded, readMetadata } from '../schema/embedded-objects.ts';
import { pruneObject } from '../schema/prune.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

/**
 * Custom objects as their schema has them: without fields that it does not know, with its defaults.
 * @see apiextensions-apiserver pkg/apiserver/customresource_handler.go unstructuredSchemaCoercer @ v0.36.3
 */
export class CustomType implements KindType {
  readonly #node: SchemaNode;
  /** Whether unknown fields are kept, as definitions of older versions may say. */
  readonly #preserves: boolean;

  constructor(node: SchemaNode, preserves: boolean) {
    this.#node = node;
    this.#preserves = preserves;
  }

  read(given: JsonRecord, problems: DecodeProblems, applied?: JsonRecord): JsonRecord {
    const { kind, apiVersion, metadata: givenMetadata } = given;
    const inMetadata = new DecodeProblems();
    const metadata = readMetadata(givenMetadata, inMetadata);
    if (metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
    for (const field of inMetadata.unknownFields) problems.unknownFields.push(`metadata.${field}`);
    // The type comes first in what is stored, so that lists can leave it out without parsing.
    const object: JsonRecord = { kind, apiVersion, ...given, metadata };
    if (kind === undefined) delete object['kind'];
    if (apiVersion === undefined) delete object['apiVersion'];
    if (!this.#preserves) {
      const unknown: string[] = [];
      pruneObject(object, this.#node, (path) => unknown.push(path));
      problems.unknownFields.push(...unknown.toSorted());
      dropNulls(object, this.#node, applied);
    }
    this.#coerce(object, problems);
    setDefaults(object, this.#node);
    return object;
  }

  #coerce(object: JsonRecord, problems: DecodeProblems): void {
    const unknown: string[] = [];
    const onUnknown = (path: string): void => {
      unknown.push(path);
    };
    const wrong = coerceEmbedded(object, this.#node, { onUnknown });
    if (wrong !== undefined) throw new TypedDecodeError(`${wrong.field}: ${wrong.message}`);
    problems.unknownFields.push(...unknown.toSorted());
  }

  zeroOf(): undefined {
    return undefined;
  }
}
