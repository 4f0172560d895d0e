import { Heap } from '../../kernel/data/heap.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError, Indexers } from './indexers.ts';
import type { StoreReader } from './store-reader.ts';
import { ThreadSafeStore } from './thread-safe-store.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
import { areOrdered, isNewer, isOlder } from '../../meta/versions/version-order.ts';

/**
 * A store, read through a layer of entries that replace or hide some of its objects.
 *
 * Without entries a read takes one comparison more and returns the store's own arrays. With entries a read returns the same
 * array until the layer or the store changes.
 */
export class LayeredStore<V extends HasMetadata> implements StoreReader<V> {
  protected readonly store: ThreadSafeStore<V>;
  protected readonly entries: Heap<OverlayEntry<V>> = new Heap({
    keyOf: ({ key }) => key,
    isBefore,
  });
  readonly #onError: (error: IndexFunctionError) => void;
  /** The objects of the entries, with the indexes of the store; undefined while there is no entry. */
  #shown: ThreadSafeStore<V> | undefined;
  /** Cached results, by the array of the store from which they were made. The store makes a new array for each change. */
  #answers = new WeakMap<readonly V[], readonly V[]>();

  constructor(store: ThreadSafeStore<V>, onError: (error: IndexFunctionError) => void) {
    this.store = store;
    this.#onError = onError;
  }

  protected put(entry: OverlayEntry<V>): void {
    this.#answers = new WeakMap();
    this.#shown ??= this.#emptyShown();
    this.entries.set(entry);
    if (entry.object === undefined) this.#shown.delete(entry.key);
    else this.#shown.add(entry.key, entry.object);
  }

  protected drop(key: string): void {
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

/** The entry of an own write under one key, until the cache has processed the version of the write. */
export interface OverlayEntry<V> {
  readonly key: string;
  readonly uid: string | undefined;
  /** The version of the write; undefined for a deletion whose answer has none. */
  readonly resourceVersion: string | undefined;
  /** For a deletion without a resource version: all versions up to this one are older. Empty if none is known. */
  readonly since: string;
  /** The object that readers get; undefined if the object is hidden. */
  readonly object: V | undefined;
  readonly deleted: boolean;
  /** Whether a complete list has shown the object although it was deleted before. */
  readonly listed: boolean;
}

/** Orders entries by resource version; entries without one come last. */
export function isBefore<V>(left: OverlayEntry<V>, right: OverlayEntry<V>): boolean {
  if (left.resourceVersion === undefined) return false;
  if (right.resourceVersion === undefined) return true;
  return isNewer(right.resourceVersion, left.resourceVersion);
}

/** Whether readers see the entry, and not the stored object of its key. */
export function hides<V extends HasMetadata>(entry: OverlayEntry<V>, cached: V): boolean {
  if (entry.resourceVersion !== undefined) return true;
  const { uid, resourceVersion } = identityOf(cached);
  return entry.uid === uid || isNotNewer(resourceVersion, entry.since);
}

/** Whether a write of `uid` at `resourceVersion` is newer than the write of `entry`. */
export function isFollowedBy<V>(
  entry: OverlayEntry<V>,
  uid: string | undefined,
  resourceVersion: string,
): boolean {
  if (entry.deleted && uid !== undefined && uid === entry.uid) return false;
  return !isNotNewer(resourceVersion, entry.resourceVersion ?? entry.since);
}

/**
 * Whether the deletion of `uid`, at any version, replaces the entry. An entry with another uid stays: when it was written, the
 * name no longer belonged to `uid`. An entry that hides an object which the cache does not have stays too.
 */
export function isEndedBy<V>(entry: OverlayEntry<V>, uid: string): boolean {
  return entry.uid === uid && !entry.deleted && entry.object !== undefined;
}

/** Whether the cache has caught up with the entry after it has applied this change. */
export function isOver<V extends HasMetadata>(
  entry: OverlayEntry<V>,
  object: V,
  deleted: boolean,
): boolean {
  const { uid, resourceVersion } = identityOf(object);
  if (entry.resourceVersion !== undefined)
    return isNotNewer(entry.resourceVersion, resourceVersion);
  if (entry.uid === uid) return deleted;
  return isOlder(entry.since, resourceVersion ?? '');
}

/** Whether `left` is known to be as old as `right`, or older; false if they cannot be compared. */
export function isNotNewer(left: string | undefined, right: string | undefined): boolean {
  return (
    left !== undefined && right !== undefined && areOrdered(left, right) && !isNewer(left, right)
  );
}

/** The newer of two resource versions; a version that cannot be compared is ignored. */
export function newerOf(left: string | undefined, right: string | undefined): string {
  if (!isResourceVersion(left)) return isResourceVersion(right) ? right : '';
  return isResourceVersion(right) && isNewer(right, left) ? right : left;
}

/** Whether the answer to a deletion shows an object that still exists: it waits for finalizers, or for its grace period. */
export function isTerminating({ metadata }: HasMetadata): boolean {
  if (metadata?.finalizers !== undefined && metadata.finalizers.length > 0) return true;
  return (metadata?.deletionGracePeriodSeconds ?? 0) > 0;
}
