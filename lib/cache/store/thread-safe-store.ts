import { ListwatchError } from '../../kernel/errors.ts';
import type { HasMetadata } from '../../meta/object.ts';
import {
  indexValuesOf,
  type IndexFunc,
  type IndexFunctionError,
  type Indexers,
} from './indexers.ts';
import { InvertedIndex, type StoredEntry } from './inverted-index.ts';
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
  readonly entries: InvertedIndex<V>;
}

/** The values of one object, in the order of the indexes. */
type IndexValues = readonly (readonly string[])[];

const NO_VALUES: readonly string[] = Object.freeze([]);
const NO_INDEXES: IndexValues = Object.freeze([]);
const NOWHERE: readonly never[] = Object.freeze([]);

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
  /** Their order is the order of the places of an entry. */
  readonly #indexes = new Map<string, Index<V>>();
  readonly #entries = new Map<string, StoredEntry<V>>();
  readonly #onError: ((error: IndexFunctionError) => void) | undefined;
  #list: readonly V[] | undefined;
  /** Of the write under way. */
  #failures: IndexFunctionError[] = [];
  #resourceVersion = '';
  #bytes = 0;

  constructor({ indexers, onError }: ThreadSafeStoreOptions<V> = {}) {
    this.#onError = onError;
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sum of `sizeBytes` of the stored objects, as they had it when they were stored; those without count nothing. */
  get bytes(): number {
    return this.#bytes;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** The index functions by name, as they were added. */
  get indexers(): Indexers<V> {
    return Object.fromEntries(
      Array.from(this.#indexes.values(), ({ name, indexFunc }) => [name, indexFunc] as const),
    );
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
    const stored = this.#remove(key);
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
    const objects = contents instanceof Map ? (contents as Map<string, V>) : new Map(contents);
    const changed: [key: string, object: V, values: IndexValues][] = [];
    for (const [key, object] of objects) {
      if (this.#entries.get(key)?.object === object) continue;
      changed.push([key, object, this.#valuesOf(key, object)]);
    }
    for (const key of this.#entries.keys()) {
      if (!objects.has(key)) this.#remove(key);
    }
    for (const [key, object, values] of changed) this.#set(key, object, values);
    this.#resourceVersion = resourceVersion;
    this.#report();
  }

  /** Notes that every change up to `resourceVersion` has been applied. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.object;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  list(): readonly V[] {
    this.#list ??= Object.freeze(Array.from(this.#entries.values(), ({ object }) => object));
    return this.#list;
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** Keys with objects, live: the loop must not be interrupted by writes. */
  *entries(): IterableIterator<readonly [key: string, object: V]> {
    for (const { key, object } of this.#entries.values()) yield [key, object];
  }

  byIndex(index: string, value: string): readonly V[] {
    return this.#index(index).entries.objects(value);
  }

  index(index: string, probe: V): readonly V[] {
    const { name, indexFunc, entries } = this.#index(index);
    const values = indexValuesOf(name, indexFunc, probe);
    if (values.length === 1) return entries.objects(values[0] as string);
    const found = new Set<StoredEntry<V>>();
    for (const value of values) {
      for (const entry of entries.entries(value)) found.add(entry);
    }
    return Array.from(found, ({ object }) => object);
  }

  indexKeys(index: string, value: string): string[] {
    return Array.from(this.#index(index).entries.entries(value), ({ key }) => key).toSorted();
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
    for (const name of names) {
      const indexFunc = indexers[name] as IndexFunc<V>;
      const index: Index<V> = { name, indexFunc, entries: new InvertedIndex<V>() };
      for (const entry of this.#entries.values()) {
        const values = this.#valuesIn(index, entry.key, entry.object);
        entry.places.push(index.entries.file(entry, NOWHERE, values));
      }
      this.#indexes.set(name, index);
    }
    this.#report();
  }

  removeIndexers(names: readonly string[]): void {
    const removed = new Set(names.map((name) => this.#index(name)));
    const kept = Array.from(this.#indexes.values(), (index) => !removed.has(index));
    for (const { name } of removed) this.#indexes.delete(name);
    for (const entry of this.#entries.values()) {
      const places = entry.places.filter((_, position) => kept[position]);
      entry.places.splice(0, entry.places.length, ...places);
    }
  }

  /**
   * The values under which the object of a key is filed in an index; none for a key that is not stored.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  indexValuesOf(index: string, key: string): string[] {
    const position = [...this.#indexes.keys()].indexOf(this.#index(index).name);
    return this.#entries.get(key)?.places[position]?.map(({ value }) => value) ?? [];
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
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, object, bytes: 0, places: [] };
      this.#entries.set(key, entry);
    }
    entry.object = object;
    const bytes = sizeOf(object);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    this.#list = undefined;
    let position = 0;
    for (const { entries } of this.#indexes.values()) {
      const before = entry.places[position] ?? NOWHERE;
      entry.places[position] = entries.file(entry, before, values[position] ?? NO_VALUES);
      position += 1;
    }
  }

  #remove(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#list = undefined;
    let position = 0;
    for (const { entries } of this.#indexes.values()) {
      entries.unfile(entry, entry.places[position] ?? NOWHERE);
      position += 1;
    }
    return entry.object;
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

function sizeOf(object: HasMetadata): number {
  const { sizeBytes } = object as { readonly sizeBytes?: unknown };
  return typeof sizeBytes === 'number' ? sizeBytes : 0;
}
