import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption } from '../../kernel/options.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { indexValuesOf, type IndexFunctionError, type Indexers } from './indexers.ts';
import { objectsOf, type InvertedIndex, type StoredEntry } from './inverted-index.ts';
import { StoreContents, valuesOf, type IndexDefinition } from './store-contents.ts';
import type { StoreReader } from './store-reader.ts';
import { StoreTransaction } from './store-transaction.ts';

/** More writes than these, applied one by one, would take too long for one step. */
const MOST_IN_PLACE = 2000;

export interface ThreadSafeStoreOptions<V> {
  /** Indexes from the start; more can follow with `addIndexers`. @defaultValue none */
  readonly indexers?: Indexers<V> | undefined;
  /**
   * Takes the failures of index functions. Without it a write throws the first of them, after it has taken effect.
   */
  readonly onError?: ((error: IndexFunctionError) => void) | undefined;
  /**
   * Most writes of a transaction that are applied one by one, at least 0; with more its whole new content takes the place of
   * the present one. @defaultValue 2000
   */
  readonly mostInPlace?: number | undefined;
}

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
  readonly #onError: ((error: IndexFunctionError) => void) | undefined;
  readonly #mostInPlace: number;
  #contents = new StoreContents<V>([]);
  #resourceVersion = '';

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor({ indexers, onError, mostInPlace }: ThreadSafeStoreOptions<V> = {}) {
    this.#onError = onError;
    this.#mostInPlace = numberOption('ThreadSafeStore', 'mostInPlace', mostInPlace, MOST_IN_PLACE, {
      min: 0,
    });
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get size(): number {
    return this.#contents.size;
  }

  /** Sum of `sizeBytes` of the stored objects, as they had it when they were stored; those without count nothing. */
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

  /** Stores an object, new or not. Returns what was stored before. */
  add(key: string, object: V): V | undefined {
    const failures: IndexFunctionError[] = [];
    const values = valuesOf(this.#contents.definitions, key, object, failures);
    const before = this.#contents.set(key, object, values);
    this.#advance(object);
    this.#report(failures);
    return before;
  }

  /** The same as `add`: what is stored decides whether it is new. */
  update(key: string, object: V): V | undefined {
    return this.add(key, object);
  }

  /**
   * Removes an object; harmless when there is none. `object`, its last state, carries the resource version of the deletion.
   * Returns what was stored.
   */
  delete(key: string, object?: V): V | undefined {
    const stored = this.#contents.remove(key);
    if (object !== undefined) this.#advance(object);
    return stored;
  }

  /**
   * Swaps the whole content in one step; of several entries with one key the last wins.
   * An object that stays the same (by identity) keeps its index values, its index functions do not run again.
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
   * Makes a transaction take effect, in one step: at most `mostInPlace` writes, or a swap that takes no longer for many
   * objects. Indexes that were added or removed meanwhile are brought to it.
   *
   * Returns an iterator over what the transaction displaced: one step for each object that may have left, with undefined for
   * one that stays. It compares with what is stored, so walk it before the next write.
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

  /** Keys with objects, live: the loop must not be interrupted by writes. */
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
   * The values under which the object of a key is filed in an index; none for a key that is not stored.
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
