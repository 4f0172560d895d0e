import type { Runtime } from '../../../kernel/time/runtime.ts';
import { runInSlices } from '../../../kernel/time/sliced-steps.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';

/** A cache, as it is compared with the pages of a list. */
export interface PagedCache<V extends HasMetadata> {
  /** A store or a snapshot of one. */
  readonly objects: {
    get(key: string): V | undefined;
    entries(): Iterable<readonly [key: string, object: V]>;
  };
  readonly keyFunc: KeyFunc;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** Decides what a difference is. */
export interface Verdicts<V extends HasMetadata> {
  /** An object of the list, with what the cache has under its key. */
  listed(key: string, listed: V, cached: V | undefined): void;
  /** An object of the cache that is not in the list. */
  unlisted(key: string, cached: V): void;
  /** An object of the list that has no key. */
  keyless(listed: V): void;
}

/**
 * Looks up each object of a list in a cache, page by page, and then each object of the cache among the keys of the list.
 *
 * The keys of the list are kept for a range of `rangeKeys` at a time: after each range, the objects of the cache that lie in it are
 * looked up. That needs a list in the order of its keys, as every paged one is. The store may change between two pages, and between two
 * slices of a range.
 */
export class PageComparison<V extends HasMetadata> {
  /** Objects of the list that have a key. */
  listed = 0;
  readonly #cache: PagedCache<V>;
  readonly #verdicts: Verdicts<V>;
  readonly #rangeKeys: number;
  /** The places of the present range, those after `#from`. */
  readonly #places = new Set<string>();
  #from = '';
  #to = '';
  #isOrdered = true;

  constructor(cache: PagedCache<V>, verdicts: Verdicts<V>, rangeKeys: number = Infinity) {
    this.#cache = cache;
    this.#verdicts = verdicts;
    this.#rangeKeys = rangeKeys;
  }

  async take(page: readonly V[]): Promise<void> {
    let last = this.#to;
    for (const listed of page) {
      const key = this.#keyOf(listed);
      if (key === undefined) continue;
      this.listed += 1;
      this.#verdicts.listed(key, listed, this.#cache.objects.get(key));
      const place = this.#placeOf(key, listed);
      if (place <= this.#to) this.#isOrdered = false;
      if (place > last) last = place;
      this.#places.add(place);
    }
    this.#to = last;
    if (this.#places.size >= this.#rangeKeys) await this.#endRange(last);
  }

  /** No page follows. Returns false for several ranges of a list without order: the verdicts on unlisted objects are then void. */
  async finish(): Promise<boolean> {
    // A single range has every key.
    if (this.#from === '') this.#isOrdered = true;
    await this.#endRange(undefined);
    return this.#isOrdered;
  }

  async #endRange(to: string | undefined): Promise<void> {
    const { runtime, signal } = this.#cache;
    if (this.#isOrdered) {
      await runInSlices(this.#lookUp(this.#from, to), runtime, signal);
      signal.throwIfAborted();
    }
    this.#places.clear();
    this.#from = to ?? '';
  }

  *#lookUp(from: string, to: string | undefined): Generator<void, void> {
    const { objects } = this.#cache;
    for (const [key] of objects.entries()) {
      const cached = objects.get(key);
      if (cached !== undefined) {
        const place = this.#placeOf(key, cached);
        const isInRange = place > from && (to === undefined || place <= to);
        if (isInRange && !this.#places.has(place)) this.#verdicts.unlisted(key, cached);
      }
      yield;
    }
  }

  #keyOf(listed: V): string | undefined {
    try {
      return this.#cache.keyFunc(listed);
    } catch {
      this.#verdicts.keyless(listed);
      return undefined;
    }
  }

  /** The place of an object in a list of the server. A list that is one range needs no places: there it is the key. */
  #placeOf(key: string, object: V): string {
    const isKey = this.#rangeKeys === Infinity || this.#cache.keyFunc === metaNamespaceKeyFunc;
    return isKey ? key : metaNamespaceKeyFunc(object);
  }
}
