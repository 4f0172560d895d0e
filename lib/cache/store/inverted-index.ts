/** A stored object and its places in the indexes. Each object of a cache has one, so its size matters. */
export class StoredEntry<V> {
  readonly key: string;
  object: V;
  /** The size of the object when it was stored, if it is known. */
  bytes: number = 0;
  /** The place in the first index; most caches have only one. */
  first: Place<V> = NOWHERE;
  /** The places in the other indexes, in their order. */
  rest: Place<V>[] = NO_REST;

  constructor(key: string, object: V) {
    this.key = key;
    this.object = object;
  }
}

/** The place of an entry in one index: one bucket, several, or, with an empty array, none. */
export type Place<V> = Bucket<V> | readonly Bucket<V>[];

/** The other places of an entry that has at most one place. Shared, and never modified. */
export const NO_REST: never[] = [];
export const NOWHERE: readonly never[] = Object.freeze([]);

/** The entries that share one index value. */
export class Bucket<V> {
  readonly value: string;
  readonly entries: Set<StoredEntry<V>> = new Set();
  /** The array that the last query returned; dropped on every change. */
  answer: readonly V[] | undefined = undefined;

  constructor(value: string) {
    this.value = value;
  }
}

/** The values that led to a place. */
export function valuesAt<V>(place: Place<V>): readonly string[] {
  return place instanceof Bucket ? [place.value] : place.map(({ value }) => value);
}

/** The objects of entries, in a frozen array. */
export function objectsOf<V>(entries: Iterable<StoredEntry<V>>): readonly V[] {
  // Spreading a set or map and then mapping it is several times as fast as Array.from with a function.
  return Object.freeze([...entries].map(({ object }) => object));
}

/**
 * One index: from a value to the entries that have it.
 *
 * An entry has references to its buckets. So an object that was modified after it was stored leaves no stale entry, and an
 * update that changes no value needs no look-up. No bucket is ever empty.
 */
export class InvertedIndex<V> {
  readonly #buckets = new Map<string, Bucket<V>>();

  /** Moves the entry from the place `before` to `values`, and returns its new place. */
  file(entry: StoredEntry<V>, before: Place<V>, values: readonly string[]): Place<V> {
    if (before instanceof Bucket) {
      if (values.length === 1 && before.value === values[0]) {
        before.answer = undefined;
        return before;
      }
    } else if (leadTo(values, before)) {
      for (const bucket of before) bucket.answer = undefined;
      return before;
    }
    const after = this.#placeOf(values);
    this.#leave(entry, before, after);
    if (after instanceof Bucket) put(entry, after);
    else for (const bucket of after) put(entry, bucket);
    return after;
  }

  /** Removes the entry from its place. */
  unfile(entry: StoredEntry<V>, place: Place<V>): void {
    this.#leave(entry, place, NOWHERE);
  }

  /** The objects under a value. Without a change in between, the next call returns the same array. */
  objects(value: string): readonly V[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return NOWHERE;
    bucket.answer ??= objectsOf(bucket.entries);
    return bucket.answer;
  }

  /** The entries under a value. */
  entries(value: string): Iterable<StoredEntry<V>> {
    return this.#buckets.get(value)?.entries ?? NOWHERE;
  }

  /** All values that have an entry. */
  values(): string[] {
    return [...this.#buckets.keys()];
  }

  #placeOf(values: readonly string[]): Place<V> {
    if (values.length === 0) return NOWHERE;
    if (values.length === 1) return this.#bucket(values[0] as string);
    const buckets = Array.from(new Set(values), (value) => this.#bucket(value));
    return buckets.length === 1 ? (buckets[0] as Bucket<V>) : buckets;
  }

  #bucket(value: string): Bucket<V> {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      bucket = new Bucket(value);
      this.#buckets.set(value, bucket);
    }
    return bucket;
  }

  #leave(entry: StoredEntry<V>, before: Place<V>, after: Place<V>): void {
    if (before instanceof Bucket) {
      if (!isPartOf(after, before)) this.#take(entry, before);
      return;
    }
    for (const bucket of before) {
      if (!isPartOf(after, bucket)) this.#take(entry, bucket);
    }
  }

  #take(entry: StoredEntry<V>, bucket: Bucket<V>): void {
    bucket.entries.delete(entry);
    bucket.answer = undefined;
    if (bucket.entries.size === 0) this.#buckets.delete(bucket.value);
  }
}

function put<V>(entry: StoredEntry<V>, bucket: Bucket<V>): void {
  bucket.entries.add(entry);
  bucket.answer = undefined;
}

function isPartOf<V>(place: Place<V>, bucket: Bucket<V>): boolean {
  return place instanceof Bucket ? place === bucket : place.includes(bucket);
}

function leadTo<V>(values: readonly string[], buckets: readonly Bucket<V>[]): boolean {
  if (values.length !== buckets.length) return false;
  for (let position = 0; position < values.length; position += 1) {
    if (buckets[position]?.value !== values[position]) return false;
  }
  return true;
}
