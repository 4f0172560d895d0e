/** A key that waits for its time. */
export interface DelayedKey<K> {
  readonly key: K;
  readonly readyAtMs: number;
  readonly priority: number;
}

interface Entry<K> extends DelayedKey<K> {
  readyAtMs: number;
  priority: number;
  /** Keys that become ready at the same time are returned in the order of this number. */
  sequence: number;
  /** Index in the heap. */
  index: number;
}

/** Keys ordered by the time at which they become ready. The earliest is found in constant time; each key occurs at most once. */
export class DelayHeap<K> {
  readonly #heap: Entry<K>[] = [];
  readonly #entries = new Map<K, Entry<K>>();
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** The time at which the earliest key becomes ready; Infinity without a key. */
  get earliestMs(): number {
    return this.#heap[0]?.readyAtMs ?? Infinity;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Adds a key. If it is present, its time only ever becomes earlier, and its priority higher. */
  put(key: K, readyAtMs: number, priority: number = 0): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.priority = Math.max(known.priority, priority);
      if (readyAtMs >= known.readyAtMs) return;
      known.readyAtMs = readyAtMs;
      known.sequence = this.#sequence += 1;
      this.#siftUp(known);
      return;
    }
    const sequence = (this.#sequence += 1);
    const entry = { key, readyAtMs, priority, sequence, index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#siftUp(entry);
  }

  /** Removes the earliest key if it is ready at `nowMs`. */
  takeReady(nowMs: number): DelayedKey<K> | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.readyAtMs > nowMs) return undefined;
    const last = this.#heap.pop() as Entry<K>;
    if (last !== first) this.#siftDown(last);
    this.#entries.delete(first.key);
    return first;
  }

  /** The earliest keys, in order. */
  earliest(limit: number): DelayedKey<K>[] {
    const found: Entry<K>[] = [];
    // A key is later than the one above it, so the next one is below those that were found, or at the top.
    const next = new DelayFrontier(this.#heap);
    while (found.length < limit) {
      const entry = next.take();
      if (entry === undefined) break;
      found.push(entry);
    }
    return found;
  }

  /** Removes and returns all keys, in no order. */
  clear(): readonly K[] {
    const keys = [...this.#entries.keys()];
    this.#heap.length = 0;
    this.#entries.clear();
    return keys;
  }

  #siftUp(entry: Entry<K>): void {
    let index = entry.index;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >> 1] as Entry<K>;
      if (!isBefore(entry, parent)) break;
      this.#place(parent, index);
      index = (index - 1) >> 1;
    }
    this.#place(entry, index);
  }

  /** Places `entry` at the root and moves it down. */
  #siftDown(entry: Entry<K>): void {
    let index = 0;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      if (left === undefined) break;
      const right = this.#heap[2 * index + 2];
      const least = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(least, entry)) break;
      const next = least.index;
      this.#place(least, index);
      index = next;
    }
    this.#place(entry, index);
  }

  #place(entry: Entry<K>, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }
}

/** The entries of a heap that may be the earliest of those not taken yet. */
class DelayFrontier<K> {
  readonly #heap: readonly Entry<K>[];
  readonly #places = [0];

  constructor(heap: readonly Entry<K>[]) {
    this.#heap = heap;
  }

  take(): Entry<K> | undefined {
    let least: Entry<K> | undefined;
    for (const place of this.#places) {
      const entry = this.#heap[place];
      if (entry === undefined) continue;
      if (least === undefined || isBefore(entry, least)) least = entry;
    }
    if (least === undefined) return undefined;
    const { index } = least;
    this.#places.splice(this.#places.indexOf(index), 1, 2 * index + 1, 2 * index + 2);
    return least;
  }
}

function isBefore<K>(left: Entry<K>, right: Entry<K>): boolean {
  return (
    left.readyAtMs < right.readyAtMs ||
    (left.readyAtMs === right.readyAtMs && left.sequence < right.sequence)
  );
}
