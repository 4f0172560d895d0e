interface Entry<K> {
  readonly key: K;
  readyAtMs: number;
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

  /** Adds a key. If it is present, its time only ever becomes earlier. */
  put(key: K, readyAtMs: number): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (readyAtMs >= known.readyAtMs) return;
      known.readyAtMs = readyAtMs;
      known.sequence = this.#sequence += 1;
      this.#siftUp(known);
      return;
    }
    const entry = { key, readyAtMs, sequence: (this.#sequence += 1), index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#siftUp(entry);
  }

  /** Removes the earliest key if it is ready at `nowMs`. Returns it inside an object, because a key may be `undefined`. */
  takeReady(nowMs: number): { readonly key: K } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.readyAtMs > nowMs) return undefined;
    const last = this.#heap.pop() as Entry<K>;
    if (last !== first) this.#siftDown(last);
    this.#entries.delete(first.key);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#entries.clear();
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

function isBefore<K>(left: Entry<K>, right: Entry<K>): boolean {
  return (
    left.readyAtMs < right.readyAtMs ||
    (left.readyAtMs === right.readyAtMs && left.sequence < right.sequence)
  );
}
