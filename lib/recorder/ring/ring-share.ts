import type { RingRecord } from './ring-record.ts';

/** How much the last records may be. */
export interface RingBound {
  /** Of all rings, besides the caches. */
  readonly maxBytes: number;
  readonly keepMs: number;
  /** The time of the recording, milliseconds. */
  readonly now: () => number;
}

/** Records in their order, of which the oldest can be dropped. */
export interface BoundedRing {
  readonly oldest: RingRecord | undefined;
  /** Drops the oldest, and what belongs to it. */
  drop(): void;
}

/** In a tenth of the time that is kept, what is too old goes of all rings. */
const SWEEPS = 10;

/** Shared by the rings of one recording: their bound, and the order of their records. */
export class RingShare {
  readonly bound: RingBound;
  /** The memory that they take besides the caches. */
  bytes = 0;
  readonly #rings = new Set<BoundedRing>();
  #order = 0;
  #nextSweepMs = 0;

  constructor(bound: RingBound) {
    this.bound = bound;
  }

  /** The place of the next record among those of all rings. */
  nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  add(ring: BoundedRing): void {
    this.#rings.add(ring);
  }

  delete(ring: BoundedRing): void {
    this.#rings.delete(ring);
  }

  /**
   * Drops records of the ring that are too old, now and then those of all, and the oldest records of all while they are too many. `nowMs`: the
   * time of its newest record, where the clock was read for it.
   */
  dropOld(ring: BoundedRing, nowMs: number = this.bound.now()): void {
    const { maxBytes, keepMs } = this.bound;
    if (nowMs >= this.#nextSweepMs) this.dropAllOld();
    dropBefore(nowMs - keepMs, ring);
    while (this.bytes > maxBytes) {
      const longest = this.#withOldest();
      if (longest === undefined) return;
      longest.drop();
    }
  }

  dropAllOld(): void {
    const { keepMs, now } = this.bound;
    const nowMs = now();
    this.#nextSweepMs = nowMs + keepMs / SWEEPS;
    for (const ring of this.#rings) dropBefore(nowMs - keepMs, ring);
  }

  #withOldest(): BoundedRing | undefined {
    let found: BoundedRing | undefined;
    for (const ring of this.#rings) {
      if (ring.oldest === undefined) continue;
      if (found?.oldest === undefined || ring.oldest.order < found.oldest.order) found = ring;
    }
    return found;
  }
}

function dropBefore(oldestMs: number, ring: BoundedRing): void {
  for (let { oldest } = ring; oldest !== undefined; { oldest } = ring) {
    if (oldest.place.atMs >= oldestMs) return;
    ring.drop();
  }
}
