import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';

/** All queues together may block the event loop for about this time, milliseconds. */
const TURN_MS = 5;

/** The longest acceptable time between two clock reads, milliseconds. */
const LONGEST_CLOCK_GAP_MS = 0.5;

/** Deliveries between two clock reads, when deliveries are fast. */
const LONGEST_STRIDE = 32;

/** The deliveries of one queue in a turn. */
export interface Slice {
  deliverSlice(): void;
}

/**
 * The turns in which the queues of one informer deliver. One task serves all queues that have notifications, so another
 * handler needs no other task. All queues share one clock, which is read less often while deliveries are fast.
 *
 * Guarantees:
 * - A slice gets its share of `TURN_MS`. It ends late by one delivery or half a millisecond while deliveries keep their speed.
 *   When deliveries suddenly become slow, one slice ends late by up to 32 deliveries.
 * - When a slice throws, the other slices still get their turn.
 */
export class DeliveryTurns {
  readonly #runtime: Runtime;
  readonly #waiting = new RingBuffer<Slice>();
  #scheduled = false;
  #sliceMs = TURN_MS;
  /** A delivery that takes longer than this is slow, milliseconds. */
  #clockGapMs = LONGEST_CLOCK_GAP_MS;
  #nowMs = 0;
  /** Deliveries between two clock reads: one while deliveries are slow. */
  #stride = 1;
  #untilLook = 1;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Longest slice of one queue, milliseconds. */
  get sliceMs(): number {
    return this.#sliceMs;
  }

  /** The number of queues that share a turn. */
  share(shares: number): void {
    this.#sliceMs = TURN_MS / Math.max(1, shares);
    this.#clockGapMs = Math.min(LONGEST_CLOCK_GAP_MS, this.#sliceMs / 2);
  }

  /** Gives `slice` a part of the next turn. */
  queue(slice: Slice): void {
    this.#waiting.push(slice);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#runtime.queueTask(this.#takeTurn);
  }

  /** The time at the last clock read, milliseconds. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Reads the clock, since time has passed without deliveries. */
  look(): void {
    this.#nowMs = this.#runtime.monotonicMs();
    this.#untilLook = this.#stride;
  }

  /** Counts a delivery. Returns whether `endMs` is reached. */
  isOver(endMs: number): boolean {
    this.#untilLook -= 1;
    if (this.#untilLook === 0) this.#adapt();
    return this.#nowMs >= endMs;
  }

  #adapt(): void {
    const lastMs = this.#nowMs;
    if (this.#lookAndSlowDown() || this.#nowMs - lastMs > this.#clockGapMs / 2) return;
    this.#stride = Math.min(2 * this.#stride, LONGEST_STRIDE);
    this.#untilLook = this.#stride;
  }

  /** Whether the deliveries since the last clock read were slow. */
  #lookAndSlowDown(): boolean {
    const lastMs = this.#nowMs;
    this.look();
    if (this.#nowMs - lastMs <= this.#clockGapMs) return false;
    this.#stride = 1;
    this.#untilLook = 1;
    return true;
  }

  readonly #takeTurn = (): void => {
    try {
      this.look();
      for (let left = this.#waiting.size; left > 0; left -= 1) {
        this.#waiting.shift()?.deliverSlice();
      }
      // A turn may be shorter than the number of deliveries between two clock reads.
      this.#lookAndSlowDown();
    } finally {
      this.#scheduled = this.#waiting.size > 0;
      if (this.#scheduled) this.#runtime.queueTask(this.#takeTurn);
    }
  };
}
