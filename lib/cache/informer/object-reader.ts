import { ListwatchError } from '../../kernel/errors.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { NAMESPACE_INDEX, type IndexFunc, type Indexers } from '../store/indexers.ts';
import type { Opener } from '../store/lister.ts';
import type { StoreReader } from '../store/store-reader.ts';

/** Decodes views; lists that the store keeps are decoded once. */
export class ViewOpener<T extends KubernetesObject> implements Opener<ObjectView<T>, T> {
  readonly #opened = new WeakMap<readonly ObjectView<T>[], readonly T[]>();

  one(view: ObjectView<T>): T {
    return view.object;
  }

  many(views: readonly ObjectView<T>[]): readonly T[] {
    let objects = this.#opened.get(views);
    if (objects === undefined) {
      objects = Object.freeze(views.map(({ object }) => object));
      this.#opened.set(views, objects);
    }
    return objects;
  }
}

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

/** A store of views, read as a store of objects. Objects are decoded when they are handed out. */
export class ObjectReader<T extends KubernetesObject> implements StoreReader<T> {
  readonly #store: StoreReader<ObjectView<T>>;
  readonly #opener: ViewOpener<T>;

  constructor(store: StoreReader<ObjectView<T>>, opener: ViewOpener<T>) {
    this.#store = store;
    this.#opener = opener;
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

  get(key: string): T | undefined {
    return this.#store.get(key)?.object;
  }

  has(key: string): boolean {
    return this.#store.has(key);
  }

  list(): readonly T[] {
    return this.#opener.many(this.#store.list());
  }

  keys(): string[] {
    return this.#store.keys();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#opener.many(this.#store.byIndex(index, value));
  }

  index(index: string, probe: T): readonly T[] {
    return this.#opener.many(this.#store.index(index, new DecodedView(probe)));
  }

  indexKeys(index: string, value: string): string[] {
    return this.#store.indexKeys(index, value);
  }

  indexValues(index: string): string[] {
    return this.#store.indexValues(index);
  }

  addIndexers(indexers: Indexers<T>): void {
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
