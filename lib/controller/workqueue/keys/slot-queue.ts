/** Minimum capacity in slots; a power of two. */
const SMALLEST = 16;

/**
 * A first-in first-out queue of slots of a `KeyTable`: a ring of plain numbers. It takes half the memory of a `RingBuffer`, and
 * the garbage collector does not have to scan it.
 *
 * Memory: 4 bytes for each slot of the largest number since it was last drained, and at most as much again.
 */
export class SlotQueue {
  #slots = new Uint32Array(SMALLEST);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(slot: number): void {
    if (this.#size === this.#slots.length) this.#double();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = slot;
    this.#size += 1;
  }

  /** Removes and returns the oldest slot; the queue must not be empty. */
  shift(): number {
    const slot = this.#slots[this.#head] as number;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    return slot;
  }

  /** The slots, oldest first. */
  *[Symbol.iterator](): Generator<number> {
    for (let place = 0; place < this.#size; place += 1) {
      yield this.#slots[(this.#head + place) & (this.#slots.length - 1)] as number;
    }
  }

  /** Removes and returns all slots, oldest first, and frees their memory. */
  drain(): number[] {
    const slots: number[] = [];
    while (this.#size > 0) slots.push(this.shift());
    this.#slots = new Uint32Array(SMALLEST);
    this.#head = 0;
    return slots;
  }

  /** Doubles the capacity. Called when all slots are in use. */
  #double(): void {
    const full = this.#slots;
    const slots = new Uint32Array(full.length * 2);
    slots.set(full.subarray(this.#head));
    slots.set(full.subarray(0, this.#head), full.length - this.#head);
    this.#slots = slots;
    this.#head = 0;
  }
}
