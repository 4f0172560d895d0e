/** Maximum number of entries of a node; a larger one is split in half. */
const FANOUT = 32;
/** A node with fewer entries is joined with a neighbour if both fit into one. */
const SPARSE = FANOUT / 4;

/** An item of an `OrderedStore`: any object that has its own key. */
export interface Keyed {
  readonly key: string;
}

class Leaf<V extends Keyed> {
  readonly low: string;
  readonly entries: readonly V[];

  constructor(entries: readonly V[]) {
    this.low = (entries[0] as V).key;
    this.entries = entries;
  }

  get size(): number {
    return this.entries.length;
  }
}

class Branch<V extends Keyed> {
  readonly low: string;
  readonly size: number;
  readonly entries: readonly Node<V>[];

  /** @param size of all entries together; adding up the sizes here would read every entry from memory */
  constructor(entries: readonly Node<V>[], size: number) {
    this.low = (entries[0] as Node<V>).low;
    this.size = size;
    this.entries = entries;
  }
}

type Node<V extends Keyed> = Leaf<V> | Branch<V>;

/**
 * Items ordered by key in an immutable B+ tree: a change returns a new store, which shares all but one path with the old one.
 *
 * Guarantees:
 * - A store is a snapshot: keeping it takes O(1), and later changes do not affect it.
 * - `get`, `with`, `without` and `count` take O(log n); a range takes O(log n) plus the items that are read.
 * - Keys are ordered by UTF-16 code units. For the ASCII keys of a storage that equals the byte order.
 */
export class OrderedStore<V extends Keyed> {
  readonly #root: Node<V> | undefined;

  private constructor(root: Node<V> | undefined) {
    this.#root = root;
  }

  /** Builds a store of these items; O(n) if they are in order. If two items have the same key, the later one is kept. */
  static of<V extends Keyed>(items: readonly V[]): OrderedStore<V> {
    let level: Node<V>[] = chunks(inOrder(items)).map((entries) => new Leaf(entries));
    while (level.length > 1) level = chunks(level).map(toBranch);
    return new OrderedStore(level[0]);
  }

  get size(): number {
    return this.#root?.size ?? 0;
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node instanceof Branch) node = node.entries[childFor(node, key)];
    if (node === undefined) return undefined;
    const item = node.entries[firstAtLeast(node, key)];
    return item?.key === key ? item : undefined;
  }

  /** The store with `item` added, or replacing the item with the same key. */
  with(item: V): OrderedStore<V> {
    if (this.#root === undefined) return new OrderedStore(new Leaf([item]));
    const parts = put(this.#root, item);
    return new OrderedStore(parts.length === 1 ? parts[0] : toBranch(parts));
  }

  /** The store without `key`; the same store if the key is not in it. */
  without(key: string): OrderedStore<V> {
    if (this.#root === undefined) return this;
    let root = remove(this.#root, key);
    if (root === this.#root) return this;
    while (root instanceof Branch && root.entries.length === 1) root = root.entries[0];
    return new OrderedStore(root);
  }

  /** The items with `from` <= key < `to`, in order, read on demand. */
  range(from: string = '', to?: string): OrderedCursor<V> {
    return new OrderedCursor(this.#root, from, to);
  }

  /** The number of items with `from` <= key < `to`. */
  count(from: string = '', to?: string): number {
    const below = to === undefined ? this.size : rank(this.#root, to);
    return Math.max(0, below - rank(this.#root, from));
  }
}

/** Reads a range of an `OrderedStore`, one item per call. Later changes of the store have no effect on it. */
export class OrderedCursor<V extends Keyed> implements Iterable<V> {
  readonly #path: { readonly branch: Branch<V>; index: number }[] = [];
  readonly #to: string | undefined;
  #leaf: Leaf<V> | undefined;
  #index = 0;

  constructor(root: Node<V> | undefined, from: string, to: string | undefined) {
    this.#to = to;
    let node = root;
    while (node instanceof Branch) {
      const index = childFor(node, from);
      this.#path.push({ branch: node, index });
      node = node.entries[index];
    }
    this.#leaf = node;
    this.#index = node === undefined ? 0 : firstAtLeast(node, from);
  }

  /** The next item; undefined at the end. */
  next(): V | undefined {
    if (this.#leaf !== undefined && this.#index >= this.#leaf.entries.length) this.#nextLeaf();
    const item = this.#leaf?.entries[this.#index];
    if (item === undefined || (this.#to !== undefined && item.key >= this.#to)) {
      this.#leaf = undefined;
      return undefined;
    }
    this.#index += 1;
    return item;
  }

  *[Symbol.iterator](): Iterator<V> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item;
  }

  #nextLeaf(): void {
    let depth = this.#path.length - 1;
    for (; depth >= 0; depth -= 1) {
      const step = this.#path[depth] as { readonly branch: Branch<V>; index: number };
      step.index += 1;
      if (step.index < step.branch.entries.length) break;
    }
    this.#leaf = undefined;
    if (depth < 0) return;
    this.#path.length = depth + 1;
    let node: Node<V> | undefined = this.#currentChild();
    while (node instanceof Branch) {
      this.#path.push({ branch: node, index: 0 });
      node = node.entries[0];
    }
    this.#leaf = node;
    this.#index = 0;
  }

  #currentChild(): Node<V> | undefined {
    const step = this.#path.at(-1);
    return step?.branch.entries[step.index];
  }
}

/** The items sorted by key; the same array if it is sorted already. */
function inOrder<V extends Keyed>(items: readonly V[]): readonly V[] {
  const ordered = items.every(
    (item, index) => index === 0 || (items[index - 1] as V).key < item.key,
  );
  if (ordered) return items;
  const byKey = new Map(items.map((item) => [item.key, item]));
  return [...byKey.values()].toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function chunks<E>(entries: readonly E[]): E[][] {
  // Nodes are three quarters full, so that the first insertions do not split every node.
  const length = (FANOUT * 3) / 4;
  const result: E[][] = [];
  for (let start = 0; start < entries.length; start += length) {
    result.push(entries.slice(start, start + length));
  }
  return result;
}

/** The first index in the leaf whose key is not smaller than `key`. */
function firstAtLeast<V extends Keyed>({ entries }: Leaf<V>, key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as V).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child for `key`: the last one whose lowest key is not greater. */
function childFor<V extends Keyed>({ entries }: Branch<V>, key: string): number {
  let low = 1;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as Node<V>).low <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The number of items with a smaller key. */
function rank<V extends Keyed>(root: Node<V> | undefined, key: string): number {
  let node = root;
  let below = 0;
  while (node instanceof Branch) {
    const index = childFor(node, key);
    for (let before = 0; before < index; before += 1) {
      below += (node.entries[before] as Node<V>).size;
    }
    node = node.entries[index];
  }
  return node === undefined ? below : below + firstAtLeast(node, key);
}

/** The one or two nodes that replace `node`. */
function put<V extends Keyed>(node: Node<V>, item: V): readonly Node<V>[] {
  if (node instanceof Branch) {
    const index = childFor(node, item.key);
    const child = node.entries[index] as Node<V>;
    const parts = put(child, item);
    const [first, second] = parts as [Node<V>, Node<V> | undefined];
    if (second === undefined) {
      const entries = node.entries.slice();
      entries[index] = first;
      return [new Branch(entries, node.size - child.size + first.size)];
    }
    const entries = node.entries.toSpliced(index, 1, first, second);
    return entries.length <= FANOUT ? [toBranch(entries)] : halves(entries).map(toBranch);
  }
  const index = firstAtLeast(node, item.key);
  const replaced = node.entries[index]?.key === item.key ? 1 : 0;
  // Leaves may be kept for long, so the array must have no spare capacity.
  const entries = node.entries.toSpliced(index, replaced, item);
  return entries.length <= FANOUT ? [new Leaf(entries)] : halves(entries).map(toLeaf);
}

/** `node` without the key: `node` itself if the key is not in it, undefined if nothing is left. */
function remove<V extends Keyed>(node: Node<V>, key: string): Node<V> | undefined {
  if (node instanceof Branch) {
    const index = childFor(node, key);
    const child = node.entries[index] as Node<V>;
    const rest = remove(child, key);
    if (rest === child) return node;
    const entries = node.entries.slice();
    if (rest === undefined) entries.splice(index, 1);
    else entries[index] = rest;
    if (rest !== undefined && rest.entries.length < SPARSE) joinWithNeighbour(entries, index);
    return entries.length === 0 ? undefined : new Branch(entries, node.size - 1);
  }
  const index = firstAtLeast(node, key);
  if (node.entries[index]?.key !== key) return node;
  if (node.entries.length === 1) return undefined;
  return new Leaf(node.entries.toSpliced(index, 1));
}

function joinWithNeighbour<V extends Keyed>(siblings: Node<V>[], index: number): void {
  const start = index > 0 ? index - 1 : index;
  const left = siblings[start];
  const right = siblings[start + 1];
  if (left === undefined || right === undefined) return;
  if (left.entries.length + right.entries.length > FANOUT) return;
  // Siblings are on the same level, so both are leaves or both are branches.
  const joined =
    left instanceof Branch
      ? toBranch([...left.entries, ...(right as Branch<V>).entries])
      : new Leaf([...left.entries, ...(right as Leaf<V>).entries]);
  siblings.splice(start, 2, joined);
}

function halves<E>(entries: readonly E[]): [E[], E[]] {
  const middle = entries.length >>> 1;
  return [entries.slice(0, middle), entries.slice(middle)];
}

function toBranch<V extends Keyed>(entries: readonly Node<V>[]): Node<V> {
  let size = 0;
  for (const entry of entries) size += entry.size;
  return new Branch(entries, size);
}

function toLeaf<V extends Keyed>(entries: readonly V[]): Node<V> {
  return new Leaf(entries);
}
