export interface HeapOptions<T, K> {
  /** The identity of an item; it must not change while the item is in the heap. */
  readonly keyOf: (item: T) => K;
  /** Whether `left` comes out before `right`. */
  readonly isBefore: (left: T, right: T) => boolean;
}

interface Node<T, K> {
  readonly key: K;
  item: T;
  /** Place in the heap. */
  index: number;
}

/**
 * Items in a custom order: the first one is read in constant time, and each one is found by its key.
 *
 * Costs: `peek`, `get` and `has` are constant; `set`, `delete` and `pop` grow with the logarithm of the size.
 * Not guaranteed: the order of `values` and `keys`, and the order of items that are equal under `isBefore`.
 * @see client-go tools/cache/heap.go Heap @ 32ce75a7
 */
export class Heap<T, K = string> {
  readonly #keyOf: (item: T) => K;
  readonly #isBefore: (left: T, right: T) => boolean;
  readonly #nodes: Node<T, K>[] = [];
  readonly #byKey = new Map<K, Node<T, K>>();

  constructor({ keyOf, isBefore }: HeapOptions<T, K>) {
    this.#keyOf = keyOf;
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Adds an item, or replaces the one with the same key. */
  set(item: T): void {
    const key = this.#keyOf(item);
    const known = this.#byKey.get(key);
    if (known === undefined) {
      const node = { key, item, index: this.#nodes.length };
      this.#byKey.set(key, node);
      this.#nodes.push(node);
      this.#siftUp(node);
    } else {
      known.item = item;
      this.#restore(known);
    }
  }

  /** Adds an item unless its key is present; returns whether it was added. */
  addIfAbsent(item: T): boolean {
    if (this.#byKey.has(this.#keyOf(item))) return false;
    this.set(item);
    return true;
  }

  get(key: K): T | undefined {
    return this.#byKey.get(key)?.item;
  }

  has(key: K): boolean {
    return this.#byKey.has(key);
  }

  /** The first item, without removing it. */
  peek(): T | undefined {
    return this.#nodes[0]?.item;
  }

  /** Removes and returns the first item. */
  pop(): T | undefined {
    const first = this.#nodes[0];
    if (first !== undefined) this.#remove(first);
    return first?.item;
  }

  /** Removes and returns the item of this key; returns undefined if there is none. */
  delete(key: K): T | undefined {
    const node = this.#byKey.get(key);
    if (node !== undefined) this.#remove(node);
    return node?.item;
  }

  clear(): void {
    this.#nodes.length = 0;
    this.#byKey.clear();
  }

  /** All items, in no particular order. */
  values(): T[] {
    return this.#nodes.map(({ item }) => item);
  }

  /** All keys, in no particular order. */
  keys(): K[] {
    return this.#nodes.map(({ key }) => key);
  }

  #remove(node: Node<T, K>): void {
    this.#byKey.delete(node.key);
    const last = this.#nodes.pop() as Node<T, K>;
    if (last === node) return;
    last.index = node.index;
    this.#restore(last);
  }

  /** Moves a node to its place in the order. `node.index` is where it is now; the slot there need not contain it yet. */
  #restore(node: Node<T, K>): void {
    const start = node.index;
    this.#siftUp(node);
    if (node.index === start) this.#siftDown(node);
  }

  #siftUp(node: Node<T, K>): void {
    let index = node.index;
    while (index > 0) {
      const parent = this.#nodes[(index - 1) >> 1] as Node<T, K>;
      if (!this.#isBefore(node.item, parent.item)) break;
      this.#place(parent, index);
      index = (index - 1) >> 1;
    }
    this.#place(node, index);
  }

  #siftDown(node: Node<T, K>): void {
    let index = node.index;
    for (;;) {
      const left = this.#nodes[2 * index + 1];
      if (left === undefined) break;
      const right = this.#nodes[2 * index + 2];
      const first = right !== undefined && this.#isBefore(right.item, left.item) ? right : left;
      if (!this.#isBefore(first.item, node.item)) break;
      const next = first.index;
      this.#place(first, index);
      index = next;
    }
    this.#place(node, index);
  }

  #place(node: Node<T, K>, index: number): void {
    this.#nodes[index] = node;
    node.index = index;
  }
}
