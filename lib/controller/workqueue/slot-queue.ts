/** Slots for which there is room at least; a power of two. */
const SMALLEST = 16;

/**
 * Slots of a `KeyTable`, first in, first out: a ring of plain numbers, half the memory of a `RingBuffer` and nothing in it
 * that the garbage collector has to look at.
 *
 * Memory: 4 bytes for each of the most that waited since it was last drained, and at most as much again.
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

  /** Takes the oldest slot; there has to be one. */
  shift(): number {
    const slot = this.#slots[this.#head] as number;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    return slot;
  }

  /** Takes all slots, oldest first, and gives their memory back. */
  drain(): number[] {
    const slots: number[] = [];
    while (this.#size > 0) slots.push(this.shift());
    this.#slots = new Uint32Array(SMALLEST);
    this.#head = 0;
    return slots;
  }

  /** The slots are full. */
  #double(): void {
    const full = this.#slots;
    const slots = new Uint32Array(full.length * 2);
    slots.set(full.subarray(this.#head));
    slots.set(full.subarray(0, this.#head), full.length - this.#head);
    this.#slots = slots;
    this.#head = 0;
  }
}
