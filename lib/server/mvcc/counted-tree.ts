/** The property of an entry that the tree reads. */
export interface CountedEntry {
  readonly live: boolean;
}

interface Node<E extends CountedEntry> {
  /** Leaf: the keys of `entries`. Inner node: `keys[i]` is the lower bound of `children[i + 1]`. */
  readonly keys: string[];
  /** Undefined in a leaf. */
  readonly children: Node<E>[] | undefined;
  readonly entries: E[];
  /** Live entries below. */
  live: number;
}

const MOST_KEYS = 64;
const FEWEST_KEYS = MOST_KEYS / 4;

/**
 * A B+ tree from ordered texts to entries. It counts its live entries, so that counting a range takes O(log n), and reading a
 * range skips whole subtrees of dead entries.
 *
 * Guarantees:
 * - `insert`, `adjustLive`, `remove` and `countLive` take O(log n); `visit` O(log n + visited).
 * - A node has at most 64 entries; one that falls below a quarter of that is joined with a neighbour if both fit into one node.
 */
export class CountedTree<E extends CountedEntry> {
  #root: Node<E> = leaf([], []);

  /** Adds an entry under a key that has none. */
  insert(key: string, entry: E): void {
    if (this.#root.keys.length === MOST_KEYS) {
      this.#root = branch([], [this.#root]);
      splitChild(this.#root, 0);
    }
    // Full nodes are split on the way down, so that a parent always has room for the key that a split below moves up.
    const gained = entry.live ? 1 : 0;
    let node = this.#root;
    node.live += gained;
    while (node.children !== undefined) {
      let place = countUpTo(node.keys, key);
      if ((node.children[place] as Node<E>).keys.length === MOST_KEYS) {
        splitChild(node, place);
        if ((node.keys[place] as string) <= key) place += 1;
      }
      node = node.children[place] as Node<E>;
      node.live += gained;
    }
    const place = countBelow(node.keys, key);
    insertAt(node.keys, place, key);
    insertAt(node.entries, place, entry);
  }

  /** Records that the entry under `key` became live (+1) or dead (-1). */
  adjustLive(key: string, delta: 1 | -1): void {
    let node = this.#root;
    node.live += delta;
    while (node.children !== undefined) {
      node = node.children[countUpTo(node.keys, key)] as Node<E>;
      node.live += delta;
    }
  }

  /** Removes the dead entry under `key`. */
  remove(key: string): void {
    removeFrom(this.#root, key);
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0] as Node<E>;
  }

  /** Live entries from `start` (included) to `end` (not included). */
  countLive(start: string, end: string): number {
    return end <= start ? 0 : this.#rank(end) - this.#rank(start);
  }

  /**
   * Calls `visit` for the entries from `start` to `end` in order, with `liveOnly` for live ones only. Stops when `visit`
   * returns false.
   */
  visit(start: string, end: string, liveOnly: boolean, visit: (entry: E) => boolean): void {
    if (start < end) walk(this.#root, start, end, liveOnly, visit);
  }

  /** Live entries below `key`. */
  #rank(key: string): number {
    let node = this.#root;
    let rank = 0;
    while (node.children !== undefined) {
      const position = countUpTo(node.keys, key);
      for (let index = 0; index < position; index += 1) {
        rank += (node.children[index] as Node<E>).live;
      }
      node = node.children[position] as Node<E>;
    }
    return rank + countLiveEntries(node.entries, countBelow(node.keys, key));
  }
}

function leaf<E extends CountedEntry>(keys: string[], entries: E[]): Node<E> {
  const live = countLiveEntries(entries, entries.length);
  return { keys, children: undefined, entries, live };
}

function branch<E extends CountedEntry>(keys: string[], children: Node<E>[]): Node<E> {
  let live = 0;
  for (const child of children) live += child.live;
  return { keys, children, entries: [], live };
}

function countLiveEntries(entries: readonly CountedEntry[], end: number): number {
  let live = 0;
  for (let index = 0; index < end; index += 1) if (entries[index]?.live === true) live += 1;
  return live;
}

/** How many of the sorted keys are smaller than `key`. */
function countBelow(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the sorted keys are smaller than or equal to `key`. */
function countUpTo(keys: readonly string[], key: string): number {
  const below = countBelow(keys, key);
  return keys[below] === key ? below + 1 : below;
}

/** Moves the upper half of a full child into a new one beside it. */
function splitChild<E extends CountedEntry>(parent: Node<E>, place: number): void {
  const children = parent.children as Node<E>[];
  const left = children[place] as Node<E>;
  const middle = left.keys.length >> 1;
  const keys = left.keys.splice(middle);
  const lowest = keys[0] as string;
  let right: Node<E>;
  if (left.children === undefined) {
    right = leaf(keys, left.entries.splice(middle));
  } else {
    keys.shift();
    right = branch(keys, left.children.splice(middle + 1));
  }
  left.live -= right.live;
  insertAt(parent.keys, place, lowest);
  insertAt(children, place + 1, right);
}

/** Used instead of `splice`, which would allocate an array of the removed items on each call. */
function insertAt<T>(list: T[], place: number, item: T): void {
  list.push(item);
  for (let index = list.length - 1; index > place; index -= 1) {
    list[index] = list[index - 1] as T;
  }
  list[place] = item;
}

function removeFrom<E extends CountedEntry>(node: Node<E>, key: string): void {
  if (node.children === undefined) {
    const position = countBelow(node.keys, key);
    if (node.keys[position] !== key) return;
    node.keys.splice(position, 1);
    node.entries.splice(position, 1);
    return;
  }
  const position = countUpTo(node.keys, key);
  const child = node.children[position] as Node<E>;
  removeFrom(child, key);
  if (child.keys.length < FEWEST_KEYS && node.children.length > 1) {
    joinChildren(node, node.children, position === 0 ? 0 : position - 1);
  }
}

/** Joins two neighbouring children, if they fit into one node. */
function joinChildren<E extends CountedEntry>(
  node: Node<E>,
  children: Node<E>[],
  leftPosition: number,
): void {
  const left = children[leftPosition] as Node<E>;
  const right = children[leftPosition + 1] as Node<E>;
  if (left.keys.length + right.keys.length >= MOST_KEYS) return;
  const [bound] = node.keys.splice(leftPosition, 1);
  children.splice(leftPosition + 1, 1);
  left.live += right.live;
  if (left.children !== undefined && right.children !== undefined) {
    left.keys.push(bound as string, ...right.keys);
    left.children.push(...right.children);
  } else {
    left.keys.push(...right.keys);
    left.entries.push(...right.entries);
  }
}

/** Returns false when the visitor or the end of the range stopped it. */
function walk<E extends CountedEntry>(
  node: Node<E>,
  start: string,
  end: string,
  liveOnly: boolean,
  visit: (entry: E) => boolean,
): boolean {
  if (liveOnly && node.live === 0) return true;
  const { keys, children, entries } = node;
  if (children === undefined) {
    for (let index = countBelow(keys, start); index < keys.length; index += 1) {
      if ((keys[index] as string) >= end) return false;
      const entry = entries[index] as E;
      if ((!liveOnly || entry.live) && !visit(entry)) return false;
    }
    return true;
  }
  for (let index = countUpTo(keys, start); index < children.length; index += 1) {
    if (index > 0 && (keys[index - 1] as string) >= end) return false;
    if (!walk(children[index] as Node<E>, start, end, liveOnly, visit)) return false;
  }
  return true;
}
