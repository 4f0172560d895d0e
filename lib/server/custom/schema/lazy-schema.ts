import type { JsonRecord } from '../../../meta/json-value.ts';
import { schemaNode, type SchemaNode } from './schema-node.ts';

/** A schema that is read when the first object is checked against it. Many kinds are defined whose objects are never written. */
export class LazySchema {
  readonly #schema: JsonRecord;
  #node: SchemaNode | undefined;

  constructor(schema: JsonRecord) {
    this.#schema = schema;
  }

  get node(): SchemaNode {
    this.#node ??= schemaNode(this.#schema);
    return this.#node;
  }
}
