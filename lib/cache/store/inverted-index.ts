/** The objects that share one index value. */
interface Bucket<V> {
  readonly objects: Map<string, V>;
  /** The bucket's value as a list of one, shared by all keys that have no other value. */
  readonly alone: readonly string[];
  /** What the last query returned; dropped on every change. */
  answer: readonly V[] | undefined;
}

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * One index: from value to objects, and from key to the values it is filed under.
 *
 * The values are remembered per key, so an object that somebody mutated after it was stored leaves no stale entry behind.
 * No bucket is ever empty.
 */
export class InvertedIndex<V> {
  readonly #buckets = new Map<string, Bucket<V>>();
  readonly #valuesOfKey = new Map<string, readonly string[]>();

  /** Files the object under `values` and under nothing else. */
  set(key: string, object: V, values: readonly string[]): void {
    const before = this.#valuesOfKey.get(key) ?? NOTHING;
    if (values.length === 1 && before.length === 1 && values[0] === before[0]) {
      this.#file(key, object, values[0] as string);
      return;
    }
    for (const value of before) {
      if (!values.includes(value)) this.#unfile(key, value);
    }
    if (values.length === 0) {
      this.#valuesOfKey.delete(key);
      return;
    }
    for (const value of values) this.#file(key, object, value);
    this.#valuesOfKey.set(key, this.#remembered(values));
  }

  delete(key: string): void {
    for (const value of this.#valuesOfKey.get(key) ?? NOTHING) this.#unfile(key, value);
    this.#valuesOfKey.delete(key);
  }

  /** The values the key is filed under. */
  valuesOf(key: string): readonly string[] {
    return this.#valuesOfKey.get(key) ?? NOTHING;
  }

  /** The objects under a value. Asked again without a change in between, it gives the same array. */
  objects(value: string): readonly V[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return NOTHING;
    bucket.answer ??= Object.freeze([...bucket.objects.values()]);
    return bucket.answer;
  }

  /** The objects under a value with their keys. */
  entries(value: string): ReadonlyMap<string, V> | undefined {
    return this.#buckets.get(value)?.objects;
  }

  /** The keys under a value, ascending. */
  keys(value: string): string[] {
    return [...(this.#buckets.get(value)?.objects.keys() ?? NOTHING)].toSorted();
  }

  /** All values that have an object. */
  values(): string[] {
    return [...this.#buckets.keys()];
  }

  #file(key: string, object: V, value: string): void {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      bucket = { objects: new Map(), alone: [value], answer: undefined };
      this.#buckets.set(value, bucket);
    }
    bucket.objects.set(key, object);
    bucket.answer = undefined;
  }

  #unfile(key: string, value: string): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return;
    bucket.objects.delete(key);
    bucket.answer = undefined;
    if (bucket.objects.size === 0) this.#buckets.delete(value);
  }

  /** A list that nobody outside can change: the caller's array may be reused by the index function. */
  #remembered(values: readonly string[]): readonly string[] {
    if (values.length > 1) return [...new Set(values)];
    return this.#buckets.get(values[0] as string)?.alone ?? NOTHING;
  }
}
