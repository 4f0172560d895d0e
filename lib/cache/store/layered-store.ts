import { Heap } from '../../kernel/data/heap.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError, Indexers } from './indexers.ts';
import { hides, isBefore, type OverlayEntry } from './overlay-entry.ts';
import type { StoreReader } from './store-reader.ts';
import { ThreadSafeStore } from './thread-safe-store.ts';

/**
 * A store, read through a layer of entries that replace or hide some of its objects.
 *
 * Without entries a read takes one comparison more and returns the store's own arrays. With entries a read returns the same
 * array until the layer or the store changes.
 */
export class LayeredStore<V extends HasMetadata> implements StoreReader<V> {
  readonly store: ThreadSafeStore<V>;
  readonly entries: Heap<OverlayEntry<V>> = new Heap({ keyOf: ({ key }) => key, isBefore });
  readonly #onError: (error: IndexFunctionError) => void;
  /** The objects of the entries, with the indexes of the store; undefined while there is no entry. */
  #shown: ThreadSafeStore<V> | undefined;
  /** Cached results, by the array of the store from which they were made. The store makes a new array for each change. */
  #answers = new WeakMap<readonly V[], readonly V[]>();

  constructor(store: ThreadSafeStore<V>, onError: (error: IndexFunctionError) => void) {
    this.store = store;
    this.#onError = onError;
  }

  put(entry: OverlayEntry<V>): void {
    this.#answers = new WeakMap();
    this.#shown ??= this.#emptyShown();
    this.entries.set(entry);
    if (entry.object === undefined) this.#shown.delete(entry.key);
    else this.#shown.add(entry.key, entry.object);
  }

  drop(key: string): void {
    this.#answers = new WeakMap();
    this.entries.delete(key);
    if (this.entries.size === 0) this.#shown = undefined;
    else this.#shown?.delete(key);
  }

  clear(): void {
    this.#answers = new WeakMap();
    this.entries.clear();
    this.#shown = undefined;
  }

  get size(): number {
    if (this.#shown === undefined) return this.store.size;
    return this.store.size - this.#hidden().size + this.#shown.size;
  }

  /** The version of the store; the entries of the layer are newer. */
  get resourceVersion(): string {
    return this.store.resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.store.indexNames;
  }

  get(key: string): V | undefined {
    const cached = this.store.get(key);
    if (this.#shown === undefined) return cached;
    const entry = this.entries.get(key);
    if (entry === undefined) return cached;
    return cached === undefined || hides(entry, cached) ? entry.object : cached;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  list(): readonly V[] {
    const cached = this.store.list();
    return this.#shown === undefined ? cached : this.#merge(cached, this.#shown.list());
  }

  keys(): string[] {
    const cached = this.store.keys();
    if (this.#shown === undefined) return cached;
    return cached.filter((key) => !this.#hides(key)).concat(this.#shown.keys());
  }

  byIndex(index: string, value: string): readonly V[] {
    const cached = this.store.byIndex(index, value);
    if (this.#shown === undefined) return cached;
    const keys = (): string[] => this.store.indexKeys(index, value);
    return this.#merge(cached, this.#shown.byIndex(index, value), keys);
  }

  index(index: string, probe: V): readonly V[] {
    const cached = this.store.index(index, probe);
    if (this.#shown === undefined) return cached;
    return this.#merge(cached, this.#shown.index(index, probe));
  }

  indexKeys(index: string, value: string): string[] {
    const cached = this.store.indexKeys(index, value);
    if (this.#shown === undefined) return cached;
    const visible = cached.filter((key) => !this.#hides(key));
    return visible.concat(this.#shown.indexKeys(index, value)).toSorted();
  }

  indexValues(index: string): string[] {
    const cached = this.store.indexValues(index);
    if (this.#shown === undefined) return cached;
    const hidden = this.#hidden();
    const values = new Set(cached);
    for (const key of this.entries.keys()) {
      for (const value of this.store.indexValuesOf(index, key)) {
        if (this.store.byIndex(index, value).every((object) => hidden.has(object))) {
          values.delete(value);
        }
      }
    }
    for (const value of this.#shown.indexValues(index)) values.add(value);
    return [...values];
  }

  addIndexers(indexers: Indexers<V>): void {
    try {
      this.store.addIndexers(indexers);
    } finally {
      this.#refile();
    }
  }

  removeIndexers(names: readonly string[]): void {
    this.store.removeIndexers(names);
    this.#refile();
  }

  /** Gives the layer the same indexes as the store. */
  #refile(): void {
    if (this.#shown === undefined) return;
    this.#shown = this.#emptyShown();
    for (const { key, object } of this.entries.values()) {
      if (object !== undefined) this.#shown.add(key, object);
    }
  }

  #emptyShown(): ThreadSafeStore<V> {
    return new ThreadSafeStore<V>({ indexers: this.store.indexers, onError: this.#onError });
  }

  /** The result of the store without hidden objects, and the objects of the layer. */
  #merge(cached: readonly V[], shown: readonly V[], keys?: () => string[]): readonly V[] {
    if (cached.length === 0) return shown;
    let answer = this.#answers.get(cached);
    if (answer === undefined) {
      const visible = this.#visible(cached, keys);
      const unchanged = visible.length === cached.length && shown.length === 0;
      answer = unchanged ? cached : Object.freeze(visible.concat(shown));
      this.#answers.set(cached, answer);
    }
    return answer;
  }

  /** Iterates over the smaller of two sets: the objects (by their `keys`, if given) or the entries. */
  #visible(cached: readonly V[], keys: (() => string[]) | undefined): V[] {
    if (keys === undefined || cached.length > this.entries.size) {
      const hidden = this.#hidden();
      return cached.filter((object) => !hidden.has(object));
    }
    const visible = keys().filter((key) => !this.#hides(key));
    return visible.map((key) => this.store.get(key) as V);
  }

  /** The stored objects that readers do not get. */
  #hidden(): Set<V> {
    const hidden = new Set<V>();
    for (const entry of this.entries.values()) {
      const cached = this.store.get(entry.key);
      if (cached !== undefined && hides(entry, cached)) hidden.add(cached);
    }
    return hidden;
  }

  #hides(key: string): boolean {
    const entry = this.entries.get(key);
    const cached = entry === undefined ? undefined : this.store.get(key);
    return entry !== undefined && cached !== undefined && hides(entry, cached);
  }
}
