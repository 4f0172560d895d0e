/** A slot of a slab: place for one record, the record that lies there included. */
export interface Slot {
  /** Number of the slab. */
  readonly slab: number;
  readonly start: number;
}

/** Slots are multiples of it, and those of one size lie on one pile. */
const STEP = 32;
/** Larger slots are not noted, since records as large have slabs of their own. */
const LARGEST = 256 * 1024;
/** A record takes a slot that is larger by this share at most, so that what is lost at the end of slots stays small. */
const SLACK = 1 / 16;
const MOST_PILES = 32;
/** Where in its slab a slot starts takes 20 bits. */
const SLAB = 2 ** 20;
/** With fewer slots of slabs that are gone nothing is tidied up. */
const FEW = 1024;

/**
 * How long the slot of a record of this size is. It is rounded up, so that what replaces the record, and is as long or a few
 * bytes longer, fits as well.
 */
export function slotSize(recordBytes: number): number {
  return Math.ceil(recordBytes / STEP) * STEP;
}

/**
 * Slots that records have left, by size, for the records to come. The one that was left last goes first: its memory is still
 * in the caches of the processor.
 *
 * Guarantees: each operation takes the same time however many slots there are; slots of slabs that are gone are at most as many
 * as the others, and a thousand.
 */
export class FreeSlots {
  /** By size in steps; each slot as one number. */
  readonly #piles: number[][] = [];
  readonly #isGone: (slab: number) => boolean;
  #count = 0;
  #gone = 0;

  constructor(isGone: (slab: number) => boolean) {
    this.#isGone = isGone;
  }

  /** Slots, those of slabs that are gone left out. */
  get count(): number {
    return this.#count - this.#gone;
  }

  /** `size`: one that `slotSize` gives. Whether the slot is noted. */
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

  /** A slab is gone, with so many of these slots. */
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
