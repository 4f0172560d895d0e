import { isRecord, type JsonRecord } from '../../../meta/json-value.ts';
import type { SchemaNode } from './schema-node.ts';

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Gets the path of each field that was removed: `spec.items[0].surplus`. */
export type OnUnknownField = (path: string) => void;

/**
 * Removes the fields that the schema of an object does not have. Changes the object; its type and metadata stay.
 * @see apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go @ v0.36.3
 */
export function pruneObject(
  object: JsonRecord,
  node: SchemaNode,
  onUnknown?: OnUnknownField,
): void {
  new Pruner(onUnknown).record(object, node, true);
}

/** Removes the fields that a schema does not have from any value; its type and metadata only stay if it is an embedded object. */
export function pruneValue(value: unknown, node: SchemaNode): void {
  new Pruner(undefined).value(value, node);
}

class Pruner {
  readonly #onUnknown: OnUnknownField | undefined;
  readonly #path: (string | number)[] = [];

  constructor(onUnknown: OnUnknownField | undefined) {
    this.#onUnknown = onUnknown;
  }

  value(value: unknown, node: SchemaNode | undefined): void {
    if (Array.isArray(value)) this.#list(value, node);
    else if (isRecord(value)) this.record(value, node, node?.embedded === true);
  }

  #list(value: readonly unknown[], node: SchemaNode | undefined): void {
    for (const [index, item] of value.entries()) {
      this.#path.push(index);
      // A list passes what it keeps on to its items.
      if (node?.preserves === true) this.#kept(item, node.items);
      else this.value(item, node?.items);
      this.#path.pop();
    }
  }

  /** An item of a list that keeps unknown fields keeps its own, but not those of its properties. */
  #kept(value: unknown, node: SchemaNode | undefined): void {
    // Items without a schema are kept.
    if (node === undefined) return;
    this.value(value, node.preserves ? node : { ...node, preserves: true });
  }

  record(value: JsonRecord, node: SchemaNode | undefined, isObject: boolean): void {
    const keeps = node?.preserves === true;
    if (keeps && node.properties.size === 0 && node.additional === undefined) return;
    for (const name of Object.keys(value)) {
      if (isObject && TYPE_AND_METADATA.has(name)) continue;
      const property = node?.properties.get(name);
      if (property !== undefined) this.#member(value, name, property);
      else if (node?.additional !== undefined) this.#member(value, name, node.additional);
      else if (node?.allowsAdditional !== undefined) {
        if (!keeps) this.#member(value, name, undefined);
      } else if (!keeps) {
        this.#report(name);
        delete value[name];
      }
    }
  }

  #member(value: JsonRecord, name: string, node: SchemaNode | undefined): void {
    const inner = value[name];
    if (typeof inner !== 'object' || inner === null) return;
    this.#path.push(name);
    this.value(inner, node);
    this.#path.pop();
  }

  #report(name: string): void {
    if (this.#onUnknown === undefined) return;
    let text = '';
    for (const step of [...this.#path, name]) {
      text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
    }
    this.#onUnknown(text);
  }
}
