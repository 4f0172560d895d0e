/**
 * A map that keeps the entries used last: beyond `max` the one that was used longest ago is left out.
 *
 * It takes memory for what it has. An `LRUCache` reserves room for all of its entries when it is made, which for a short life of few
 * entries costs more than all of its use.
 */
export class LastUsedMap<K, V extends object> {
  readonly #max: number;
  readonly #evicted: (value: V) => void;
  /** The one that was used last is at the end. */
  readonly #entries = new Map<K, V>();

  /** `max`: at least 1. `evicted` gets values that are left out, not those that are replaced or deleted. */
  constructor(max: number, evicted: (value: V) => void = () => {}) {
    this.#max = max;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value, which counts as used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** The value, without a use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    for (const [oldest, left] of this.#entries) {
      this.#entries.delete(oldest);
      this.#evicted(left);
      return;
    }
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** All values at this moment, the one that was used last first. */
  values(): readonly V[] {
    return [...this.#entries.values()].toReversed();
  }
}
