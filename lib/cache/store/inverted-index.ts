/** A stored object, and where the indexes have filed it. One for each object of a cache, so every field counts. */
export class StoredEntry<V> {
  readonly key: string;
  object: V;
  /** Its size when it was stored, as far as it is known. */
  bytes: number = 0;
  /** In the first index; most caches have but one. */
  first: Place<V> = NOWHERE;
  /** In the other indexes, in their order. */
  rest: Place<V>[] = NO_REST;

  constructor(key: string, object: V) {
    this.key = key;
    this.object = object;
  }
}

/** Where one index has filed an entry: in one bucket, in several, or, with an empty array, in none. */
export type Place<V> = Bucket<V> | readonly Bucket<V>[];

/** Places of an entry that is filed in one index at most. Shared: nobody writes to it. */
export const NO_REST: never[] = [];
export const NOWHERE: readonly never[] = Object.freeze([]);

/** The entries that share one index value. */
export class Bucket<V> {
  readonly value: string;
  readonly entries: Set<StoredEntry<V>> = new Set();
  /** What the last query returned; dropped on every change. */
  answer: readonly V[] | undefined = undefined;

  constructor(value: string) {
    this.value = value;
  }
}

/** The values that led to a place. */
export function valuesAt<V>(place: Place<V>): readonly string[] {
  return place instanceof Bucket ? [place.value] : place.map(({ value }) => value);
}

/** The objects of entries, in an array nobody can change. */
export function objectsOf<V>(entries: Iterable<StoredEntry<V>>): readonly V[] {
  // Spreading a whole set or map and mapping it then is several times as fast as Array.from with a function.
  return Object.freeze([...entries].map(({ object }) => object));
}

/**
 * One index: from a value to the entries that have it.
 *
 * An entry remembers its buckets, so an object that somebody mutated after it was stored leaves no stale entry behind, and
 * an update that changes no value costs no look-up. No bucket is ever empty.
 */
export class InvertedIndex<V> {
  readonly #buckets = new Map<string, Bucket<V>>();

  /** Files the entry under `values` instead of in the place `before`, and returns where it is now. */
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

  /** Takes the entry out of its place. */
  unfile(entry: StoredEntry<V>, place: Place<V>): void {
    this.#leave(entry, place, NOWHERE);
  }

  /** The objects under a value. Asked again without a change in between, it gives the same array. */
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
