/** A slot of a slab: the place of one record. */
export interface Slot {
  /** Number of the slab. */
  readonly slab: number;
  readonly start: number;
}

/** The sizes of slots are multiples of it; slots of one size are on one pile. */
const STEP = 32;
/** Larger slots are not recorded, since such large records have slabs of their own. */
const LARGEST = 256 * 1024;
/** A slot may be larger than its record by this share at most, so that little memory is lost. */
const SLACK = 1 / 16;
const MOST_PILES = 32;
/** The start of a slot in its slab has 20 bits. */
const SLAB = 2 ** 20;
/** With fewer slots of dropped slabs there is no clean-up. */
const FEW = 1024;

/**
 * The size of the slot for a record of this size. It is rounded up, so that a later record of the same size, or a few bytes
 * longer, fits too.
 */
export function slotSize(recordBytes: number): number {
  return Math.ceil(recordBytes / STEP) * STEP;
}

/**
 * Free slots by size, for later records. The slot that was freed last is used first: its memory is still in the caches of the
 * processor.
 *
 * Guarantees: the time of each operation does not depend on the number of slots. There are at most a thousand more slots of
 * dropped slabs than other slots.
 */
export class FreeSlots {
  /** Piles by size in steps; each slot is one number. */
  readonly #piles: number[][] = [];
  readonly #isGone: (slab: number) => boolean;
  #count = 0;
  #gone = 0;

  constructor(isGone: (slab: number) => boolean) {
    this.#isGone = isGone;
  }

  /** The number of slots, without slots of dropped slabs. */
  get count(): number {
    return this.#count - this.#gone;
  }

  /** `size` is a result of `slotSize`. Returns whether the slot is recorded. */
  add(slab: number, start: number, size: number): boolean {
    if (size > LARGEST) return false;
    const step = size / STEP;
    while (this.#piles.length <= step) this.#piles.push([]);
    (this.#piles[step] as number[]).push(slab * SLAB + start);
    this.#count += 1;
    return true;
  }

  /** Finds a slot for a record of this size. */
  take(size: number): Slot | undefined {
    const first = slotSize(size) / STEP;
    const wider = Math.min(MOST_PILES, Math.ceil((size * SLACK) / STEP));
    const last = Math.min(first + wider, this.#piles.length - 1);
    for (let step = first; step <= last; step += 1) {
      const slot = this.#takeFrom(this.#piles[step] as number[]);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  /** A slab was dropped, with this many of the slots. */
  forget(slots: number): void {
    this.#gone += slots;
    if (this.#gone <= FEW || this.#gone * 2 <= this.#count) return;
    for (const [step, pile] of this.#piles.entries()) {
      this.#piles[step] = pile.filter((packed) => !this.#isGone(Math.floor(packed / SLAB)));
    }
    this.#count -= this.#gone;
    this.#gone = 0;
  }

  #takeFrom(pile: number[]): Slot | undefined {
    for (let packed = pile.pop(); packed !== undefined; packed = pile.pop()) {
      this.#count -= 1;
      const slab = Math.floor(packed / SLAB);
      if (!this.#isGone(slab)) return { slab, start: packed % SLAB };
      this.#gone -= 1;
    }
    return undefined;
  }
}
