import { assert, expensiveChecksEnabled } from '../../kernel/failure/assert.ts';
import { orderedForm } from './contract/ordered-form.ts';

/** The keys that a watcher watches, in ordered form; `end` is undefined for a single key. */
export interface Interest {
  readonly start: string;
  readonly end: string | undefined;
}

interface Group<W> {
  readonly start: string;
  readonly end: string;
  readonly watchers: Set<W>;
}

/**
 * Finds the watchers of a key. Single-key watchers are found by hash. Range watchers are grouped by range and the groups sorted
 * by start; each knows the greatest end up to it, so that a look-up among disjoint prefixes takes O(log groups).
 */
export class WatcherTable<W extends { readonly interest: Interest }> {
  readonly #singles = new Map<string, Set<W>>();
  #groups: Group<W>[] = [];
  /** `#reach[i]` is the greatest end of the groups 0 to i. */
  #reach: string[] = [];

  add(watcher: W): void {
    const { start, end } = watcher.interest;
    if (end === undefined) {
      const watchers = this.#singles.get(start);
      if (watchers === undefined) this.#singles.set(start, new Set([watcher]));
      else watchers.add(watcher);
      return;
    }
    const group = this.#groups.find((one) => one.start === start && one.end === end);
    if (group !== undefined) {
      group.watchers.add(watcher);
      return;
    }
    const place = countStartingUpTo(this.#groups, start);
    this.#groups.splice(place, 0, { start, end, watchers: new Set([watcher]) });
    this.#measure();
  }

  delete(watcher: W): void {
    const { start, end } = watcher.interest;
    if (end === undefined) {
      const watchers = this.#singles.get(start);
      watchers?.delete(watcher);
      if (watchers?.size === 0) this.#singles.delete(start);
      return;
    }
    const place = this.#groups.findIndex((one) => one.start === start && one.end === end);
    const group = this.#groups[place];
    group?.watchers.delete(watcher);
    if (group?.watchers.size !== 0) return;
    this.#groups.splice(place, 1);
    this.#measure();
  }

  /** Calls `visit` for each watcher of `key`; it must not add or delete watchers. */
  forKey(key: string, visit: (watcher: W) => void): void {
    if (this.#singles.size === 0 && this.#groups.length === 0) return;
    const order = orderedForm(key);
    const singles = this.#singles.get(order);
    if (singles !== undefined) for (const watcher of singles) visit(watcher);
    let place = countStartingUpTo(this.#groups, order) - 1;
    for (; place >= 0 && (this.#reach[place] as string) > order; place -= 1) {
      const { end, watchers } = this.#groups[place] as Group<W>;
      if (end > order) for (const watcher of watchers) visit(watcher);
    }
  }

  *[Symbol.iterator](): Iterator<W> {
    for (const watchers of this.#singles.values()) yield* watchers;
    for (const { watchers } of this.#groups) yield* watchers;
  }

  #measure(): void {
    if (expensiveChecksEnabled()) {
      const isEmpty = this.#groups.some(({ watchers }) => watchers.size === 0);
      assert(!isEmpty, 'a range that nothing watches is gone');
    }
    let reach = '';
    this.#reach = this.#groups.map(({ end }) => {
      if (end > reach) reach = end;
      return reach;
    });
  }
}

function countStartingUpTo(groups: readonly Group<unknown>[], key: string): number {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((groups[middle] as Group<unknown>).start <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a key lies in the interest. */
export function concerns({ start, end }: Interest, key: string): boolean {
  const order = orderedForm(key);
  return end === undefined ? order === start : order >= start && order < end;
}
