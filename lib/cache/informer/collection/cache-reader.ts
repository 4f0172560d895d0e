import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { Indexers } from '../../store/indexers.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import type { CollectionCache } from './collection-cache.ts';

/** Reads the cache that an informer runs on: its own, or one that it shares. */
export class CacheReader<T extends KubernetesObject> implements StoreReader<ObjectView<T>> {
  readonly #cache: () => CollectionCache<T>;

  constructor(cache: () => CollectionCache<T>) {
    this.#cache = cache;
  }

  get #store(): StoreReader<ObjectView<T>> {
    return this.#cache().pipeline.overlay;
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

  get(key: string): ObjectView<T> | undefined {
    return this.#store.get(key);
  }

  has(key: string): boolean {
    return this.#store.has(key);
  }

  list(): readonly ObjectView<T>[] {
    return this.#store.list();
  }

  keys(): string[] {
    return this.#store.keys();
  }

  byIndex(index: string, value: string): readonly ObjectView<T>[] {
    return this.#store.byIndex(index, value);
  }

  index(index: string, probe: ObjectView<T>): readonly ObjectView<T>[] {
    return this.#store.index(index, probe);
  }

  indexKeys(index: string, value: string): string[] {
    return this.#store.indexKeys(index, value);
  }

  indexValues(index: string): string[] {
    return this.#store.indexValues(index);
  }

  addIndexers(indexers: Indexers<ObjectView<T>>): void {
    this.#cache().indexes.add(indexers);
  }

  removeIndexers(names: readonly string[]): void {
    this.#cache().indexes.remove(names);
  }
}
