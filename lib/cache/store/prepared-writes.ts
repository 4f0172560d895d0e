import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError } from './indexers.ts';
import type { ObjectKeeper } from './object-keeper.ts';
import { valuesOf, type IndexDefinition, type IndexValues } from './store-contents.ts';

/** A write with all that can be done before it takes effect. */
export interface PreparedWrite<V> {
  readonly key: string;
  /** What is stored; of a deletion, the last state, if it is known. */
  readonly object: V | undefined;
  /** Undefined for a deletion. */
  readonly values: IndexValues | undefined;
}

/**
 * Writes whose index functions have run already, over as many tasks as it takes, so that applying them in one step is quick.
 */
export class PreparedWrites<V extends HasMetadata> {
  /** For the store alone. */
  readonly writes: PreparedWrite<V>[] = [];
  /** Failures of index functions so far; reported when the writes are applied. */
  readonly failures: IndexFunctionError[] = [];
  readonly definitions: readonly IndexDefinition<V>[];
  readonly #keeper: ObjectKeeper<V> | undefined;

  /** Made by `ThreadSafeStore.prepare`. */
  constructor(definitions: readonly IndexDefinition<V>[], keeper: ObjectKeeper<V> | undefined) {
    this.definitions = definitions;
    this.#keeper = keeper;
  }

  get size(): number {
    return this.writes.length;
  }

  set(key: string, object: V): void {
    this.#keeper?.keep(object);
    const values = valuesOf(this.definitions, key, object, this.failures);
    this.writes.push({ key, object, values });
  }

  /** `object`, its last state, carries the resource version of the deletion. */
  delete(key: string, object?: V): void {
    this.writes.push({ key, object, values: undefined });
  }
}
