/** A stored object, and where each index has filed it, in the order of the indexes. */
export interface StoredEntry<V> {
  readonly key: string;
  object: V;
  /** Its size, as far as it is known. */
  bytes: number;
  readonly places: (readonly Bucket<V>[])[];
}

/** The entries that share one index value. */
export interface Bucket<V> {
  readonly value: string;
  readonly entries: Set<StoredEntry<V>>;
  /** The bucket as a list of one, shared by all entries that are nowhere else. */
  readonly alone: readonly Bucket<V>[];
  /** What the last query returned; dropped on every change. */
  answer: readonly V[] | undefined;
}

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * One index: from a value to the entries that have it.
 *
 * An entry remembers its buckets, so an object that somebody mutated after it was stored leaves no stale entry behind, and
 * an update that changes no value costs no look-up. No bucket is ever empty.
 */
export class InvertedIndex<V> {
  readonly #buckets = new Map<string, Bucket<V>>();

  /** Files the entry under `values` instead of in the buckets `before`, and returns where it is now. */
  file(
    entry: StoredEntry<V>,
    before: readonly Bucket<V>[],
    values: readonly string[],
  ): readonly Bucket<V>[] {
    if (values.length === 1 && before.length === 1) {
      const [bucket] = before as readonly [Bucket<V>];
      if (bucket.value === values[0]) {
        bucket.answer = undefined;
        return before;
      }
    }
    const after = this.#bucketsOf(values);
    for (const bucket of before) {
      if (!after.includes(bucket)) this.#take(entry, bucket);
    }
    for (const bucket of after) {
      bucket.entries.add(entry);
      bucket.answer = undefined;
    }
    return after;
  }

  /** Takes the entry out of its buckets. */
  unfile(entry: StoredEntry<V>, buckets: readonly Bucket<V>[]): void {
    for (const bucket of buckets) this.#take(entry, bucket);
  }

  /** The objects under a value. Asked again without a change in between, it gives the same array. */
  objects(value: string): readonly V[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return NOTHING;
    bucket.answer ??= Object.freeze(Array.from(bucket.entries, ({ object }) => object));
    return bucket.answer;
  }

  /** The entries under a value. */
  entries(value: string): Iterable<StoredEntry<V>> {
    return this.#buckets.get(value)?.entries ?? NOTHING;
  }

  /** All values that have an entry. */
  values(): string[] {
    return [...this.#buckets.keys()];
  }

  #bucketsOf(values: readonly string[]): readonly Bucket<V>[] {
    if (values.length === 0) return NOTHING;
    if (values.length === 1) return this.#bucket(values[0] as string).alone;
    return Array.from(new Set(values), (value) => this.#bucket(value));
  }

  #bucket(value: string): Bucket<V> {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      const alone: Bucket<V>[] = [];
      bucket = { value, entries: new Set(), alone, answer: undefined };
      alone.push(bucket);
      this.#buckets.set(value, bucket);
    }
    return bucket;
  }

  #take(entry: StoredEntry<V>, bucket: Bucket<V>): void {
    bucket.entries.delete(entry);
    bucket.answer = undefined;
    if (bucket.entries.size === 0) this.#buckets.delete(bucket.value);
  }
}
