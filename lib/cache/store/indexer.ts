import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { metaNamespaceKeyFunc, type KeyError, type KeyFunc } from '../../meta/key.ts';
import { computeKey } from './compute-key.ts';
import type { IndexFunctionError, Indexers } from './indexers.ts';
import type { StoreReader } from './store-reader.ts';
import { ThreadSafeStore } from './thread-safe-store.ts';

export interface IndexerOptions<V> {
  /** Computes the key of an object. @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /** Indexes from the start; more can follow with `addIndexers`. @defaultValue none */
  readonly indexers?: Indexers<V> | undefined;
  /** Gets the errors of index functions. Without it a write throws the first error, after the write has taken effect. */
  readonly onError?: ((error: IndexFunctionError) => void) | undefined;
}

/** One step of `Indexer.transaction`. */
export interface IndexerWrite<V> {
  readonly type: 'set' | 'delete';
  readonly object: V;
}

/** A write that a transaction left out. */
export interface RejectedWrite {
  /** Place of the write in the transaction, from 0. */
  readonly position: number;
  readonly error: KeyError;
}

/**
 * A `ThreadSafeStore` that computes the keys itself, with a `KeyFunc` of your choice.
 *
 * Every method that takes an object throws a `KeyError` (code KEY), and changes nothing, when the object has no key.
 * @see client-go tools/cache/store.go Store, index.go Indexer @ 32ce75a7
 */
export class Indexer<V extends HasMetadata> implements StoreReader<V> {
  readonly #keyFunc: KeyFunc;
  readonly #store: ThreadSafeStore<V>;

  constructor({ keyFunc = metaNamespaceKeyFunc, indexers, onError }: IndexerOptions<V> = {}) {
    this.#keyFunc = keyFunc;
    this.#store = new ThreadSafeStore<V>({ indexers, onError });
  }

  get size(): number {
    return this.#store.size;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.#store.indexNames;
  }

  /** Stores an object, new or not. */
  add(object: V): void {
    this.#store.add(this.keyOf(object), object);
  }

  /** The same as `add`: whether the object is new depends on the content of the store. */
  update(object: V): void {
    this.#store.update(this.keyOf(object), object);
  }

  /** Removes the object with the key of `object`, if there is one, and returns it. */
  delete(object: V): V | undefined {
    return this.#store.delete(this.keyOf(object), object);
  }

  /** Removes the object with this key, if there is one, and returns it. */
  deleteKey(key: string): V | undefined {
    return this.#store.delete(key);
  }

  /** Replaces the whole content in one step; of several objects with one key the last wins. */
  replace(objects: Iterable<V>, resourceVersion: string): void {
    const contents = new Map<string, V>();
    for (const object of objects) contents.set(this.keyOf(object), object);
    this.#store.replace(contents, resourceVersion);
  }

  /**
   * Applies all writes whose object has a key, in order and in one step; returns those that were left out. The resource
   * version becomes that of the last write that has one.
   */
  transaction(writes: readonly IndexerWrite<V>[]): readonly RejectedWrite[] {
    const rejected: RejectedWrite[] = [];
    const transaction = this.#store.begin();
    let { resourceVersion } = this;
    for (const [position, { type, object }] of writes.entries()) {
      try {
        const key = this.keyOf(object);
        if (type === 'set') transaction.set(key, object);
        else transaction.delete(key);
        resourceVersion = identityOf(object).resourceVersion || resourceVersion;
      } catch (error) {
        rejected.push({ position, error: error as KeyError });
      }
    }
    this.#store.commit(transaction, resourceVersion);
    return rejected;
  }

  /** Notes that every change up to `resourceVersion` has been applied. */
  bookmark(resourceVersion: string): void {
    this.#store.bookmark(resourceVersion);
  }

  /**
   * The key of an object.
   * @throws {KeyError} code KEY, also when the KeyFunc throws another error.
   */
  keyOf(object: V): string {
    return computeKey(this.#keyFunc, object);
  }

  /** The stored object with the key of `object`. */
  stored(object: V): V | undefined {
    return this.#store.get(this.keyOf(object));
  }

  get(key: string): V | undefined {
    return this.#store.get(key);
  }

  has(key: string): boolean {
    return this.#store.has(key);
  }

  list(): readonly V[] {
    return this.#store.list();
  }

  keys(): string[] {
    return this.#store.keys();
  }

  byIndex(index: string, value: string): readonly V[] {
    return this.#store.byIndex(index, value);
  }

  index(index: string, probe: V): readonly V[] {
    return this.#store.index(index, probe);
  }

  indexKeys(index: string, value: string): string[] {
    return this.#store.indexKeys(index, value);
  }

  indexValues(index: string): string[] {
    return this.#store.indexValues(index);
  }

  addIndexers(indexers: Indexers<V>): void {
    this.#store.addIndexers(indexers);
  }

  removeIndexers(names: readonly string[]): void {
    this.#store.removeIndexers(names);
  }
}
