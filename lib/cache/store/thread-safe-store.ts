import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is } from '../../kernel/options/options-schema.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { indexValuesOf, type IndexFunctionError, type Indexers } from './indexers.ts';
import { objectsOf, type InvertedIndex, type StoredEntry } from './inverted-index.ts';
import { StoreContents, valuesOf, type IndexDefinition } from './store-contents.ts';
import type { StoreReader } from './store-reader.ts';
import { StoreTransaction } from './store-transaction.ts';

/** The most writes that may be applied one by one in one step; more would block the event loop too long. */
const MOST_IN_PLACE = 2000;
const LIMIT = is.number({ min: 0 }).default(MOST_IN_PLACE);

export interface ThreadSafeStoreOptions<V> {
  /** Indexes from the start; more can follow with `addIndexers`. @defaultValue none */
  readonly indexers?: Indexers<V> | undefined;
  /**
   * Gets the errors of index functions. Without it a write throws the first error, after the write has taken effect.
   */
  readonly onError?: ((error: IndexFunctionError) => void) | undefined;
  /**
   * The most writes of a transaction that are applied one by one, at least 0. With more writes a new content replaces the
   * present one. @defaultValue 2000
   */
  readonly mostInPlace?: number | undefined;
}

/**
 * Objects by key, with any number of indexes: the cache that an informer fills and all its users read.
 *
 * Guarantees:
 * - Every write is one step: a reader never sees an object without its index entries, or a part of a `replace`.
 * - All index functions run before anything changes. If one fails, the object is still stored, since the cache has to equal the
 *   server: it has no value in that index, and the error is reported.
 * - A replaced or deleted object leaves no index entry, even if it was mutated after it was stored.
 * - Any string is a key or an index value, `__proto__` too.
 *
 * Not guaranteed: an order of `list`, `keys` and `byIndex`; that resource versions only grow (the store keeps the last one).
 *
 * Reentrancy: index functions may read the store; they see the state before the write.
 * @see client-go tools/cache/thread_safe_store.go @ 32ce75a7
 */
export class ThreadSafeStore<V extends HasMetadata> implements StoreReader<V> {
  readonly #onError: ((error: IndexFunctionError) => void) | undefined;
  readonly #mostInPlace: number;
  #contents = new StoreContents<V>([]);
  #resourceVersion = '';

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor({ indexers, onError, mostInPlace }: ThreadSafeStoreOptions<V> = {}) {
    this.#onError = onError;
    this.#mostInPlace = LIMIT.read('ThreadSafeStore', 'mostInPlace', mostInPlace);
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get size(): number {
    return this.#contents.size;
  }

  /** The sum of `sizeBytes` of the objects when they were stored; objects without a size count as 0. */
  get bytes(): number {
    return this.#contents.bytes;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.#contents.definitions.map(({ name }) => name);
  }

  /** The index functions by name, as they were added. */
  get indexers(): Indexers<V> {
    const { definitions } = this.#contents;
    return Object.fromEntries(definitions.map(({ name, indexFunc }) => [name, indexFunc] as const));
  }

  /** Stores an object, new or not. Returns the previous object. */
  add(key: string, object: V): V | undefined {
    const failures: IndexFunctionError[] = [];
    const values = valuesOf(this.#contents.definitions, key, object, failures);
    const before = this.#contents.set(key, object, values);
    this.#advance(object);
    this.#report(failures);
    return before;
  }

  /** The same as `add`: whether the object is new depends on the content of the store. */
  update(key: string, object: V): V | undefined {
    return this.add(key, object);
  }

  /**
   * Removes an object, if there is one, and returns it. `object`, its last state, has the resource version of the deletion.
   */
  delete(key: string, object?: V): V | undefined {
    const stored = this.#contents.remove(key);
    if (object !== undefined) this.#advance(object);
    return stored;
  }

  /**
   * Replaces the whole content in one step; of several entries with one key the last wins.
   * If an object is identical (`===`) to the stored one, it keeps its index values, and index functions do not run again.
   */
  replace(contents: Iterable<readonly [string, V]>, resourceVersion: string): void {
    const objects = contents instanceof Map ? (contents as Map<string, V>) : new Map(contents);
    const transaction = this.begin();
    for (const key of this.#contents.keys()) {
      if (!objects.has(key)) transaction.delete(key);
    }
    for (const [key, object] of objects) {
      if (this.get(key) !== object) transaction.set(key, object);
    }
    this.commit(transaction, resourceVersion);
  }

  /** Begins a transaction of this store. Nothing else may write to the store before its `commit`. */
  begin(): StoreTransaction<V> {
    return new StoreTransaction<V>({
      present: () => this.#contents,
      mostInPlace: this.#mostInPlace,
    });
  }

  /**
   * Applies a transaction in one step: at most `mostInPlace` writes, or a swap of the whole content, whose time does not depend
   * on the number of objects. Indexes that were added or removed in the meantime are applied to it.
   *
   * Returns an iterator over the displaced objects: one step for each object that may have been displaced, with undefined for
   * an object that stays. It compares with the stored objects, so iterate before the next write.
   */
  commit(
    transaction: StoreTransaction<V>,
    resourceVersion: string,
  ): IterableIterator<V | undefined> {
    const { contents, displaced, failures } = transaction.finish();
    this.#contents = contents;
    this.#resourceVersion = resourceVersion;
    this.#report(failures);
    return displaced;
  }

  /** Notes that every change up to `resourceVersion` has been applied. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  get(key: string): V | undefined {
    return this.#contents.get(key);
  }

  has(key: string): boolean {
    return this.#contents.has(key);
  }

  list(): readonly V[] {
    return this.#contents.list();
  }

  keys(): string[] {
    return [...this.#contents.keys()];
  }

  /** A live iterator over keys and objects: there must be no write during the loop. */
  *entries(): IterableIterator<readonly [key: string, object: V]> {
    for (const { key, object } of this.#contents.entries()) yield [key, object];
  }

  byIndex(index: string, value: string): readonly V[] {
    return this.#index(index).objects(value);
  }

  index(index: string, probe: V): readonly V[] {
    const { name, indexFunc } = this.#contents.definitions[
      this.#position(index)
    ] as IndexDefinition<V>;
    const values = indexValuesOf(name, indexFunc, probe);
    const entries = this.#index(index);
    if (values.length === 1) return entries.objects(values[0] as string);
    const found = new Set<StoredEntry<V>>();
    for (const value of values) {
      for (const entry of entries.entries(value)) found.add(entry);
    }
    return objectsOf(found);
  }

  indexKeys(index: string, value: string): string[] {
    return Array.from(this.#index(index).entries(value), ({ key }) => key).toSorted();
  }

  indexValues(index: string): string[] {
    return this.#index(index).values();
  }

  addIndexers(indexers: Indexers<V>): void {
    const { definitions } = this.#contents;
    const added = Object.entries(indexers).map(([name, indexFunc]) => ({ name, indexFunc }));
    for (const { name } of added) {
      if (definitions.some((known) => known.name === name)) {
        throw new ListwatchError(
          'INDEX_CONFLICT',
          `an index "${name}" exists already; give the new one another name`,
        );
      }
    }
    const failures: IndexFunctionError[] = [];
    this.#contents.reindex([...definitions, ...added], failures);
    this.#report(failures);
  }

  removeIndexers(names: readonly string[]): void {
    const removed = new Set(names.map((name) => this.#position(name)));
    const kept = this.#contents.definitions.filter((_, position) => !removed.has(position));
    this.#contents.reindex(kept, []);
  }

  /**
   * The values of a stored object in an index, by its key; none for a key that is not stored.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  indexValuesOf(index: string, key: string): string[] {
    const position = this.#position(index);
    return [...(this.#contents.valuesOf(key)?.[position] ?? [])];
  }

  #index(name: string): InvertedIndex<V> {
    return this.#contents.index(this.#position(name));
  }

  #position(name: string): number {
    const { definitions } = this.#contents;
    for (let position = 0; position < definitions.length; position += 1) {
      if (definitions[position]?.name === name) return position;
    }
    const known = this.indexNames.join(', ') || 'none';
    throw new ListwatchError('UNKNOWN_INDEX', `there is no index "${name}"; known are: ${known}`);
  }

  #advance(object: V): void {
    const { resourceVersion } = identityOf(object);
    if (resourceVersion !== undefined && resourceVersion !== '') {
      this.#resourceVersion = resourceVersion;
    }
  }

  #report(failures: readonly IndexFunctionError[]): void {
    for (const failure of failures) {
      if (this.#onError === undefined) throw failure;
      this.#onError(failure);
    }
  }
}
