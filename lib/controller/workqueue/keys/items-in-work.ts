import { NOWHERE, type TakenItem } from './taken-item.ts';

/**
 * The items that workers have taken, in no order; adding and removing take constant time. The arrays keep their length, and a
 * count says how many entries are valid: an array that shrinks to nothing and grows again costs two allocations per item.
 *
 * Memory: one slot for each item of the largest number that was in work at a time.
 */
export class ItemsInWork<K> {
  readonly #items: (TakenItem<K> | undefined)[] = [undefined];
  /** The time at which each item was taken, milliseconds. A separate array of numbers needs no boxed values. Both begin with room for one. */
  readonly #takenAtMs: number[] = [0];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The time at which the longest-running item was taken; Infinity without an item. */
  get earliestMs(): number {
    let earliestMs = Infinity;
    for (let place = 0; place < this.#size; place += 1) {
      earliestMs = Math.min(earliestMs, this.#takenAtMs[place] ?? Infinity);
    }
    return earliestMs;
  }

  /** The sum of the times that all items have been in work, milliseconds. */
  unfinishedMs(nowMs: number): number {
    let sumMs = 0;
    for (let place = 0; place < this.#size; place += 1) sumMs += nowMs - this.takenAtMs(place);
    return sumMs;
  }

  /** The time at which the item at this place was taken. */
  takenAtMs(place: number): number {
    return this.#takenAtMs[place] ?? 0;
  }

  /** The first `limit` items. */
  slice(limit: number): TakenItem<K>[] {
    return this.#items.slice(0, Math.min(limit, this.#size)) as TakenItem<K>[];
  }

  add(item: TakenItem<K>, takenAtMs: number): void {
    const place = this.#size;
    this.#items[place] = item;
    this.#takenAtMs[place] = takenAtMs;
    item.place = place;
    this.#size = place + 1;
  }

  /** Removes an item, which must be present, and returns the time at which it was taken. */
  remove(item: TakenItem<K>): number {
    const { place } = item;
    const takenAtMs = this.#takenAtMs[place] as number;
    const end = this.#size - 1;
    if (place !== end) {
      const last = this.#items[end] as TakenItem<K>;
      this.#items[place] = last;
      this.#takenAtMs[place] = this.#takenAtMs[end] as number;
      last.place = place;
    }
    this.#items[end] = undefined;
    this.#size = end;
    item.place = NOWHERE;
    return takenAtMs;
  }
}
