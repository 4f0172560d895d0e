import { is } from '../options/options-schema.ts';

const SMALLEST = 16;
const CAPACITY = is.number({ min: 0, max: 2 ** 30 });

/**
 * A first-in first-out queue on a circular array: constant time at both ends, no shifting, no garbage per item.
 * It grows by doubling, and frees the large array when it becomes empty.
 */
export class RingBuffer<T> implements Iterable<T> {
  #slots: (T | undefined)[];
  #head = 0;
  #size = 0;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(initialCapacity: number = SMALLEST) {
    CAPACITY.read('RingBuffer', 'initialCapacity', initialCapacity);
    let capacity = SMALLEST;
    while (capacity < initialCapacity) capacity *= 2;
    this.#slots = Array.from({ length: capacity });
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#slots.length) this.#double();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size += 1;
  }

  /** The oldest item, without removing it. */
  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  /** The item `offset` places behind the oldest one. */
  at(offset: number): T | undefined {
    if (offset < 0 || offset >= this.#size) return undefined;
    return this.#slots[(this.#head + offset) & (this.#slots.length - 1)];
  }

  /** Removes and returns the oldest item. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    if (this.#size === 0 && this.#slots.length > 1024) this.clear();
    return item;
  }

  /** Removes and returns all items, oldest first. */
  drain(): T[] {
    const items = this.#inOrder() as T[];
    this.clear();
    return items;
  }

  clear(): void {
    this.#slots = Array.from({ length: SMALLEST });
    this.#head = 0;
    this.#size = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let offset = 0; offset < this.#size; offset += 1) {
      yield this.#slots[(this.#head + offset) & (this.#slots.length - 1)] as T;
    }
  }

  /** Doubles the capacity with one copy, oldest item first. Called when all slots are in use. */
  #double(): void {
    const capacity = this.#slots.length * 2;
    this.#slots = this.#inOrder();
    this.#slots.length = capacity;
    this.#head = 0;
  }

  #inOrder(): (T | undefined)[] {
    const end = this.#head + this.#size;
    const slots = this.#slots.slice(this.#head, end);
    if (end <= this.#slots.length) return slots;
    return slots.concat(this.#slots.slice(0, end - this.#slots.length));
  }
}
