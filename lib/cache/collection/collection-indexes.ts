import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { IndexFunc, Indexers } from '../store/indexers.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { indexersOfViews } from './object-reader.ts';

interface HeldIndex<T extends KubernetesObject> {
  /** As it was given: equal functions are the same one. */
  readonly given: unknown;
  readonly overViews: IndexFunc<ObjectView<T>>;
  /** The number of informers that have it. */
  readonly holders: number;
}

/** The indexes of a collection, and how many of its informers have each. */
export class CollectionIndexes<T extends KubernetesObject> {
  readonly #store: StoreReader<ObjectView<T>>;
  readonly #held = new Map<string, HeldIndex<T>>();

  /** @param indexers are in the store already */
  constructor(store: StoreReader<ObjectView<T>>, indexers: Indexers<T>) {
    this.#store = store;
    for (const [name, overViews] of Object.entries(indexersOfViews(indexers))) {
      this.#held.set(name, { given: indexers[name], overViews, holders: 1 });
    }
  }

  /** @throws as `StoreReader.addIndexers`. */
  add(indexers: Indexers<ObjectView<T>>): void {
    this.#store.addIndexers(indexers);
    for (const [name, overViews] of Object.entries(indexers)) {
      this.#held.set(name, { given: overViews, overViews, holders: 1 });
    }
  }

  /** An index that another informer has too stays. @throws as `StoreReader.removeIndexers`. */
  remove(names: readonly string[]): void {
    this.#store.removeIndexers(names.filter((name) => (this.#held.get(name)?.holders ?? 1) < 2));
    for (const name of new Set(names)) {
      const held = this.#held.get(name);
      if (held === undefined) continue;
      if (held.holders < 2) this.#held.delete(name);
      else this.#held.set(name, { ...held, holders: held.holders - 1 });
    }
  }

  /** Takes the indexes of another collection in. Returns false, and takes none, where a name has another function. */
  takeAll({ indexes }: { readonly indexes: CollectionIndexes<T> }): boolean {
    const missing: [string, HeldIndex<T>][] = [];
    for (const [name, index] of indexes.#held) {
      const held = this.#held.get(name);
      if (held === undefined) missing.push([name, index]);
      else if (held.given !== index.given) return false;
    }
    if (missing.length > 0) {
      const views = missing.map(([name, { overViews }]) => [name, overViews] as const);
      this.#store.addIndexers(Object.fromEntries(views));
    }
    for (const [name, index] of indexes.#held) {
      const holders = (this.#held.get(name)?.holders ?? 0) + 1;
      this.#held.set(name, { ...index, holders });
    }
    return true;
  }
}
