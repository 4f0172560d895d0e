import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import type { Stored } from '../../meta/stored.ts';
import { NAMESPACE_INDEX, type IndexFunc, type Indexers } from '../store/indexers.ts';
import type { Opener } from '../store/lister.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { LazyObject } from '../informer/handlers/event-handler.ts';

/** The methods of a `StoreReader`, for objects that are decoded on the first read of `object`. */
export type LazyReader<T> = Omit<
  StoreReader<LazyObject<T>>,
  'index' | 'addIndexers' | 'removeIndexers'
>;

/** An index that was asked for, or the one that every informer has. */
type IndexName<Index extends string> = Index | typeof NAMESPACE_INDEX;

/** Makes index functions over objects into ones over views; those that read metadata only do not decode. */
export function indexersOfViews<T extends KubernetesObject>(
  indexers: Indexers<T>,
): Indexers<ObjectView<T>> {
  const entries = Object.entries(indexers).map(([name, indexFunc]) => [name, overViews(indexFunc)]);
  return Object.fromEntries(entries) as Indexers<ObjectView<T>>;
}

function overViews<T extends KubernetesObject>(indexFunc: IndexFunc<T>): IndexFunc<ObjectView<T>> {
  return indexFunc.metadataOnly === true
    ? (indexFunc as unknown as IndexFunc<ObjectView<T>>)
    : ({ object }): readonly string[] => indexFunc(object);
}

/**
 * Reads a store of views as a store of objects. Objects are decoded when a method returns them; with a budget for decoded
 * objects, the next call may return an array of new, equal objects. `Index` are the names of the indexes, where they are known.
 */
export class ObjectReader<T extends KubernetesObject, Index extends string = string>
  implements StoreReader<Stored<T>>
{
  readonly #store: StoreReader<ObjectView<Stored<T>>>;
  readonly #opener: Opener<ObjectView<Stored<T>>, Stored<T>>;
  readonly #onLazy: () => void;

  /** `onLazy` is called before views are returned that may be read after they have left the store. */
  constructor(
    store: StoreReader<ObjectView<Stored<T>>>,
    opener: Opener<ObjectView<Stored<T>>, Stored<T>>,
    onLazy: () => void = () => {},
  ) {
    this.#store = store;
    this.#opener = opener;
    this.#onLazy = onLazy;
  }

  /**
   * The same store without decoding. The returned views can be read at any time, also after the object has left the cache. For
   * this, from the first read of `lazy` until the informer ends, the bytes of each object that leaves the cache are retained,
   * as for a handler of whole objects. `metadata(key)` and `keys()` retain nothing.
   */
  get lazy(): LazyReader<Stored<T>> {
    this.#onLazy();
    return this.#store;
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

  get(key: string): Stored<T> | undefined {
    return this.#store.get(key)?.object;
  }

  /** The metadata of an object; its body is not decoded. */
  metadata(key: string): ObjectMeta | undefined {
    return this.#store.get(key)?.metadata;
  }

  has(key: string): boolean {
    return this.#store.has(key);
  }

  list(): readonly Stored<T>[] {
    return this.#opener.many(this.#store.list());
  }

  keys(): string[] {
    return this.#store.keys();
  }

  byIndex(index: IndexName<Index>, value: string): readonly Stored<T>[] {
    return this.#opener.many(this.#store.byIndex(index, value));
  }

  index(index: IndexName<Index>, probe: T): readonly Stored<T>[] {
    return this.#opener.many(this.#store.index(index, new DecodedView(probe as Stored<T>)));
  }

  indexKeys(index: IndexName<Index>, value: string): string[] {
    return this.#store.indexKeys(index, value);
  }

  indexValues(index: IndexName<Index>): string[] {
    return this.#store.indexValues(index);
  }

  addIndexers(indexers: Indexers<Stored<T>>): void {
    this.#store.addIndexers(indexersOfViews(indexers));
  }

  /** The index by namespace stays: code INVALID_OPTION. */
  removeIndexers(names: readonly string[]): void {
    if (names.includes(NAMESPACE_INDEX)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `the index "${NAMESPACE_INDEX}" stays: listers of a namespace read through it`,
      );
    }
    this.#store.removeIndexers(names);
  }
}
