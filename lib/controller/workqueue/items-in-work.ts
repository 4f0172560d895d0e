import { NOWHERE, type TakenItem } from './taken-item.ts';

/**
 * The items in workers' hands, in no order: constant time to take one and to give one back. Arrays that keep their length
 * and a count of what is valid in them, for one that shrinks to nothing and grows again costs two allocations an item.
 *
 * Memory: one slot for each of the most that were in work at a time.
 */
export class ItemsInWork<K> {
  readonly #items: (TakenItem<K> | undefined)[] = [];
  /** When each of them was taken, milliseconds: numbers in an array of their own take no boxes. */
  readonly #takenAtMs: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** When the one was taken that is in work for longest; Infinity when there is none. */
  get earliestMs(): number {
    let earliestMs = Infinity;
    for (let place = 0; place < this.#size; place += 1) {
      earliestMs = Math.min(earliestMs, this.#takenAtMs[place] ?? Infinity);
    }
    return earliestMs;
  }

  /** The first `limit` of them. */
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

  /** Takes out one that is in, and says when it was taken. */
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
