/**
 * A map of bounded size: at least the newest `capacity` entries are in it, and at most twice as many.
 *
 * It keeps two generations and drops the older one as a whole, so removal takes no time per entry.
 */
export class RecentMap<K, V> {
  readonly #capacity: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** An upper bound of the number of entries; 0 exactly when there is none. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  set(key: K, value: V): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#capacity) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  get(key: K): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  has(key: K): boolean {
    return this.#newer.has(key) || this.#older.has(key);
  }

  delete(key: K): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }

  /** The entries, oldest first; a key that was set again may appear twice. */
  entries(): [K, V][] {
    return [...this.#older, ...this.#newer];
  }
}
