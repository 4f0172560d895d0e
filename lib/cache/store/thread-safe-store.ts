import { ListwatchError } from '../../kernel/errors.ts';
import type { HasMetadata } from '../../meta/object.ts';
import {
  indexValuesOf,
  type IndexFunc,
  type IndexFunctionError,
  type Indexers,
} from './indexers.ts';
import { InvertedIndex } from './inverted-index.ts';
import type { StoreReader } from './store-reader.ts';

export interface ThreadSafeStoreOptions<V> {
  /** Indexes from the start; more can follow with `addIndexers`. @defaultValue none */
  readonly indexers?: Indexers<V> | undefined;
  /**
   * Takes the failures of index functions. Without it a write throws the first of them, after it has taken effect.
   */
  readonly onError?: ((error: IndexFunctionError) => void) | undefined;
}

/** One step of a transaction. */
export type StoreWrite<V> =
  | { readonly type: 'set'; readonly key: string; readonly object: V }
  | { readonly type: 'delete'; readonly key: string; readonly object?: V | undefined };

interface Index<V> {
  readonly name: string;
  readonly indexFunc: IndexFunc<V>;
  entries: InvertedIndex<V>;
}

/** The values of one object, in the order of the indexes. */
type IndexValues = readonly (readonly string[])[];

const NO_VALUES: readonly string[] = Object.freeze([]);
const NO_INDEXES: IndexValues = Object.freeze([]);

/**
 * Objects by key, with any number of indexes over them: the cache that an informer fills and everybody reads.
 *
 * Guarantees:
 * - Every write is one step: nobody sees an object without its index entries, or half a `replace`.
 * - All index functions have run before anything changes. One that fails never keeps an object out of the store, since the
 *   cache has to equal the server: the object is stored without a value in that index, and the failure is reported.
 * - A replaced or deleted object leaves no index entry, even if it was mutated after it was stored.
 * - Any string is a key or an index value, `__proto__` too.
 *
 * Not guaranteed: an order of `list`, `keys` and `byIndex`; that resource versions only grow (the store keeps the last one).
 *
 * Reentrancy: index functions may read the store; they see the state before the write.
 * @see client-go tools/cache/thread_safe_store.go @ 32ce75a7
 */
export class ThreadSafeStore<V extends HasMetadata> implements StoreReader<V> {
  readonly #indexes = new Map<string, Index<V>>();
  readonly #onError: ((error: IndexFunctionError) => void) | undefined;
  #objects = new Map<string, V>();
  #list: readonly V[] | undefined;
  /** Of the write under way. */
  #failures: IndexFunctionError[] = [];
  #resourceVersion = '';

  constructor({ indexers, onError }: ThreadSafeStoreOptions<V> = {}) {
    this.#onError = onError;
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** Stores an object, new or not. */
  add(key: string, object: V): void {
    const values = this.#valuesOf(key, object);
    this.#set(key, object, values);
    this.#advance(object);
    this.#report();
  }

  /** The same as `add`: what is stored decides whether it is new. */
  update(key: string, object: V): void {
    this.add(key, object);
  }

  /**
   * Removes an object; harmless when there is none. `object`, its last state, carries the resource version of the deletion.
   * Returns what was stored.
   */
  delete(key: string, object?: V): V | undefined {
    const stored = this.#objects.get(key);
    this.#remove(key);
    if (object !== undefined) this.#advance(object);
    return stored;
  }

  /**
   * Applies writes in order, in one step. The resource version becomes `resourceVersion`, or, when left out, that of the
   * last write that has one.
   */
  transaction(writes: readonly StoreWrite<V>[], resourceVersion?: string): void {
    const values = writes.map((write) =>
      write.type === 'set' ? this.#valuesOf(write.key, write.object) : NO_INDEXES,
    );
    for (const [position, write] of writes.entries()) {
      if (write.type === 'set') this.#set(write.key, write.object, values[position] as IndexValues);
      else this.#remove(write.key);
      if (write.object !== undefined) this.#advance(write.object);
    }
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
    this.#report();
  }

  /**
   * Swaps the whole content in one step; of several entries with one key the last wins.
   * An object that stays the same (by identity) keeps its index values, its index functions do not run again.
   */
  replace(contents: Iterable<readonly [string, V]>, resourceVersion: string): void {
    const objects = new Map(contents);
    const rebuilt = [...this.#indexes.values()].map((index) => this.#rebuild(index, objects));
    let position = 0;
    for (const index of this.#indexes.values()) {
      index.entries = rebuilt[position] as InvertedIndex<V>;
      position += 1;
    }
    this.#objects = objects;
    this.#list = undefined;
    this.#resourceVersion = resourceVersion;
    this.#report();
  }

  /** Notes that every change up to `resourceVersion` has been applied. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  get(key: string): V | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  list(): readonly V[] {
    this.#list ??= Object.freeze([...this.#objects.values()]);
    return this.#list;
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** Keys with objects, live: the loop must not be interrupted by writes. */
  entries(): IterableIterator<[string, V]> {
    return this.#objects.entries();
  }

  byIndex(index: string, value: string): readonly V[] {
    return this.#index(index).entries.objects(value);
  }

  index(index: string, probe: V): readonly V[] {
    const { name, indexFunc, entries } = this.#index(index);
    const values = indexValuesOf(name, indexFunc, probe);
    if (values.length === 1) return entries.objects(values[0] as string);
    const found = new Map<string, V>();
    for (const value of values) {
      for (const [key, object] of entries.entries(value) ?? []) found.set(key, object);
    }
    return [...found.values()];
  }

  indexKeys(index: string, value: string): string[] {
    return this.#index(index).entries.keys(value);
  }

  indexValues(index: string): string[] {
    return this.#index(index).entries.values();
  }

  addIndexers(indexers: Indexers<V>): void {
    const names = Object.keys(indexers);
    for (const name of names) {
      if (this.#indexes.has(name)) {
        throw new ListwatchError(
          'INDEX_CONFLICT',
          `an index "${name}" exists already; give the new one another name`,
        );
      }
    }
    const added = names.map((name): Index<V> => {
      const index = {
        name,
        indexFunc: indexers[name] as IndexFunc<V>,
        entries: new InvertedIndex<V>(),
      };
      index.entries = this.#rebuild(index, this.#objects);
      return index;
    });
    for (const index of added) this.#indexes.set(index.name, index);
    this.#report();
  }

  #index(name: string): Index<V> {
    const index = this.#indexes.get(name);
    if (index !== undefined) return index;
    const known = this.indexNames.join(', ') || 'none';
    throw new ListwatchError('UNKNOWN_INDEX', `there is no index "${name}"; known are: ${known}`);
  }

  #valuesOf(key: string, object: V): IndexValues {
    if (this.#indexes.size === 0) return NO_INDEXES;
    const values: (readonly string[])[] = [];
    for (const index of this.#indexes.values()) values.push(this.#valuesIn(index, key, object));
    return values;
  }

  #valuesIn({ name, indexFunc }: Index<V>, key: string, object: V): readonly string[] {
    try {
      return indexValuesOf(name, indexFunc, object, key);
    } catch (error) {
      this.#failures.push(error as IndexFunctionError);
      return NO_VALUES;
    }
  }

  #set(key: string, object: V, values: IndexValues): void {
    this.#objects.set(key, object);
    this.#list = undefined;
    let position = 0;
    for (const { entries } of this.#indexes.values()) {
      entries.set(key, object, values[position] ?? NO_VALUES);
      position += 1;
    }
  }

  #remove(key: string): void {
    if (!this.#objects.delete(key)) return;
    this.#list = undefined;
    for (const { entries } of this.#indexes.values()) entries.delete(key);
  }

  #rebuild(index: Index<V>, objects: ReadonlyMap<string, V>): InvertedIndex<V> {
    const isNew = !this.#indexes.has(index.name);
    const rebuilt = new InvertedIndex<V>();
    for (const [key, object] of objects) {
      const kept = !isNew && this.#objects.get(key) === object;
      const values = kept ? index.entries.valuesOf(key) : this.#valuesIn(index, key, object);
      rebuilt.set(key, object, values);
    }
    return rebuilt;
  }

  #advance(object: V): void {
    const resourceVersion = object.metadata?.resourceVersion;
    if (resourceVersion !== undefined && resourceVersion !== '') {
      this.#resourceVersion = resourceVersion;
    }
  }

  #report(): void {
    if (this.#failures.length === 0) return;
    const failures = this.#failures;
    this.#failures = [];
    for (const failure of failures) {
      if (this.#onError === undefined) throw failure;
      this.#onError(failure);
    }
  }
}
