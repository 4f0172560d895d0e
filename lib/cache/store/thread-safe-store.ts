import { ListwatchError } from '../../kernel/errors.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { indexValuesOf, type IndexFunctionError, type Indexers } from './indexers.ts';
import { objectsOf, type InvertedIndex, type StoredEntry } from './inverted-index.ts';
import type { ObjectKeeper } from './object-keeper.ts';
import { PreparedWrites } from './prepared-writes.ts';
import {
  StoreContents,
  valuesOf,
  type IndexDefinition,
  type IndexValues,
} from './store-contents.ts';
import { StoreDraft } from './store-draft.ts';
import type { StoreReader } from './store-reader.ts';

export interface ThreadSafeStoreOptions<V> {
  /** Indexes from the start; more can follow with `addIndexers`. @defaultValue none */
  readonly indexers?: Indexers<V> | undefined;
  /**
   * Takes the failures of index functions. Without it a write throws the first of them, after it has taken effect.
   */
  readonly onError?: ((error: IndexFunctionError) => void) | undefined;
  /** Is told of every object before it is stored, and once it has been replaced or removed. @defaultValue none */
  readonly keeper?: ObjectKeeper<V> | undefined;
}

/** One step of a transaction. */
export type StoreWrite<V> =
  | { readonly type: 'set'; readonly key: string; readonly object: V }
  | { readonly type: 'delete'; readonly key: string; readonly object?: V | undefined };

/**
 * Objects by key, with any number of indexes over them: the cache that an informer fills and everybody reads.
 *
 * Guarantees:
 * - Every write is one step: nobody sees an object without its index entries, or half a `replace`.
 * - All index functions have run before anything changes. One that fails never keeps an object out of the store, since the
 *   cache has to equal the server: the object is stored without a value in that index, and the failure is reported.
 * - A replaced or deleted object leaves no index entry, even if it was mutated after it was stored.
 * - Any string is a key or an index value, `__proto__` too.
 * - A keeper is told of an object before its index functions run, and that it has left once it is in the store no more.
 *
 * Not guaranteed: an order of `list`, `keys` and `byIndex`; that resource versions only grow (the store keeps the last one).
 *
 * Reentrancy: index functions may read the store; they see the state before the write.
 * @see client-go tools/cache/thread_safe_store.go @ 32ce75a7
 */
export class ThreadSafeStore<V extends HasMetadata> implements StoreReader<V> {
  readonly #onError: ((error: IndexFunctionError) => void) | undefined;
  readonly #keeper: ObjectKeeper<V> | undefined;
  #contents = new StoreContents<V>([]);
  /** What `adopt` has put aside and the keeper has not been told of. */
  #displaced: Iterator<StoredEntry<V>> | undefined;
  #resourceVersion = '';

  constructor({ indexers, onError, keeper }: ThreadSafeStoreOptions<V> = {}) {
    this.#onError = onError;
    this.#keeper = keeper;
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

  /** Stores an object, new or not. */
  add(key: string, object: V): void {
    this.sweep();
    this.#keeper?.keep(object);
    const failures: IndexFunctionError[] = [];
    const values = valuesOf(this.#contents.definitions, key, object, failures);
    const before = this.#contents.set(key, object, values);
    if (before !== undefined && before !== object) this.#keeper?.release(before, 'left');
    this.#advance(object);
    this.#report(failures);
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
    this.sweep();
    const stored = this.#contents.remove(key);
    if (stored !== undefined) this.#keeper?.release(stored, 'left');
    if (object !== undefined) this.#advance(object);
    return stored;
  }

  /**
   * Applies writes in order, in one step. The resource version becomes `resourceVersion`, or, when left out, that of the
   * last write that has one.
   */
  transaction(writes: readonly StoreWrite<V>[], resourceVersion?: string): void {
    const prepared = this.prepare();
    for (const { type, key, object } of writes) {
      if (type === 'set') prepared.set(key, object);
      else prepared.delete(key, object);
    }
    this.apply(prepared, resourceVersion);
  }

  /**
   * Swaps the whole content in one step; of several entries with one key the last wins.
   * An object that stays the same (by identity) keeps its index values, its index functions do not run again.
   */
  replace(contents: Iterable<readonly [string, V]>, resourceVersion: string): void {
    const objects = contents instanceof Map ? (contents as Map<string, V>) : new Map(contents);
    const prepared = this.prepare();
    for (const key of this.#contents.keys()) {
      if (!objects.has(key)) prepared.delete(key);
    }
    for (const [key, object] of objects) {
      if (this.get(key) !== object) prepared.set(key, object);
    }
    this.apply(prepared, resourceVersion);
  }

  /**
   * Begins a transaction whose index functions run while it is put together; it takes effect with `apply`. Nobody else may
   * write in between.
   */
  prepare(): PreparedWrites<V> {
    this.sweep();
    return new PreparedWrites<V>(this.#contents.definitions, this.#keeper);
  }

  /** As `transaction`, with writes that were prepared. */
  apply(prepared: PreparedWrites<V>, resourceVersion?: string): void {
    this.sweep();
    const { writes, failures } = prepared;
    const values = this.#presentValues(prepared);
    /** By object, with the key under which it was. */
    const displaced = new Map<V, string>();
    for (const [position, { key, object }] of writes.entries()) {
      const filedUnder = values[position];
      const before =
        object === undefined || filedUnder === undefined
          ? this.#contents.remove(key)
          : this.#contents.set(key, object, filedUnder);
      if (before !== undefined && this.#keeper !== undefined) displaced.set(before, key);
      if (object !== undefined) this.#advance(object);
    }
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
    for (const [object, key] of displaced) this.#release(key, object);
    this.#report(failures);
  }

  /** Begins a whole new content, to be built over many tasks; it takes effect with `adopt`. Nobody else may write in between. */
  draft(): StoreDraft<V> {
    this.sweep();
    return new StoreDraft<V>(() => this.#contents, this.#keeper);
  }

  /**
   * Swaps the whole content for a draft, in one step that takes no longer for many objects. Indexes that were added or
   * removed meanwhile are brought to the draft. What leaves the store is released by `sweep`, or else by the next write.
   */
  adopt(draft: StoreDraft<V>, resourceVersion: string): void {
    draft.close();
    this.sweep();
    const { contents, failures } = draft;
    contents.reindex(this.#contents.definitions, failures);
    if (this.#keeper !== undefined) this.#displaced = this.#contents.entries();
    this.#contents = contents;
    this.#resourceVersion = resourceVersion;
    this.#report(failures);
  }

  /** Looks at up to `limit` objects that were there before `adopt` and tells the keeper which have left; false if there are more. */
  sweep(limit: number = Infinity): boolean {
    const displaced = this.#displaced;
    if (displaced === undefined) return true;
    for (let looked = 0; looked < limit; looked += 1) {
      const { done, value: entry } = displaced.next();
      if (done === true) {
        this.#displaced = undefined;
        return true;
      }
      this.#release(entry.key, entry.object);
    }
    return false;
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

  /** The values of writes in the indexes as they are now, which may not be those for which they were prepared. */
  #presentValues({
    writes,
    definitions: before,
    failures,
  }: PreparedWrites<V>): (IndexValues | undefined)[] {
    const { definitions } = this.#contents;
    return writes.map(({ key, object, values }) => {
      if (before === definitions || object === undefined || values === undefined) return values;
      return definitions.map((definition) => {
        const known = values[before.indexOf(definition)];
        return known ?? (valuesOf([definition], key, object, failures)[0] as readonly string[]);
      });
    });
  }

  /** For what was stored under this key, and may be no more. */
  #release(key: string, object: V): void {
    if (this.#contents.get(key) !== object) this.#keeper?.release(object, 'left');
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
