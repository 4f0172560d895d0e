import { RingBuffer } from '../../../kernel/ring-buffer.ts';
import type { Runtime } from '../../../kernel/runtime.ts';

/** All queues together may hold the event loop for about this long at a time, milliseconds. */
const TURN_MS = 5;

/** The longest time between two looks at the clock that is not too long, milliseconds. */
const LONGEST_BLINK_MS = 0.5;

/** Deliveries between two looks at the clock, where they are fast. */
const LONGEST_STRIDE = 32;

/** The deliveries of one queue in a turn. */
export interface Slice {
  deliverSlice(): void;
}

/**
 * The turns in which the queues of one informer deliver: one task for all that have something to say, so that a handler more
 * costs no task, and one clock, at which nobody looks more often than the deliveries take.
 *
 * Guarantees:
 * - A slice gets its share of `TURN_MS`. It ends late by one delivery, or half a millisecond, as long as deliveries keep their
 *   pace; when they turn slow all of a sudden, by up to 32 of them, once.
 * - A slice that throws costs no other one its turn.
 */
export class DeliveryTurns {
  readonly #runtime: Runtime;
  readonly #waiting = new RingBuffer<Slice>();
  #scheduled = false;
  #sliceMs = TURN_MS;
  /** A delivery that takes longer than this is slow, milliseconds. */
  #blinkMs = LONGEST_BLINK_MS;
  #nowMs = 0;
  /** Deliveries from one look at the clock to the next: one while they are slow. */
  #stride = 1;
  #untilLook = 1;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Longest slice of one queue, milliseconds. */
  get sliceMs(): number {
    return this.#sliceMs;
  }

  /** Among how many queues a turn is shared out. */
  share(shares: number): void {
    this.#sliceMs = TURN_MS / Math.max(1, shares);
    this.#blinkMs = Math.min(LONGEST_BLINK_MS, this.#sliceMs / 2);
  }

  /** Gives `slice` a part of the next turn. */
  queue(slice: Slice): void {
    this.#waiting.push(slice);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#runtime.queueTask(this.#takeTurn);
  }

  /** The time as it was at the last look, milliseconds. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Looks at the clock, since time has passed in which nothing was delivered. */
  look(): void {
    this.#nowMs = this.#runtime.monotonicMs();
    this.#untilLook = this.#stride;
  }

  /** Notes a delivery. Whether `endMs` is reached then. */
  isOver(endMs: number): boolean {
    this.#untilLook -= 1;
    if (this.#untilLook === 0) this.#adapt();
    return this.#nowMs >= endMs;
  }

  #adapt(): void {
    const lastMs = this.#nowMs;
    if (this.#lookAndSlowDown() || this.#nowMs - lastMs > this.#blinkMs / 2) return;
    this.#stride = Math.min(2 * this.#stride, LONGEST_STRIDE);
    this.#untilLook = this.#stride;
  }

  /** Whether the deliveries since the last look were slow. */
  #lookAndSlowDown(): boolean {
    const lastMs = this.#nowMs;
    this.look();
    if (this.#nowMs - lastMs <= this.#blinkMs) return false;
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
      // Turns may be shorter than a stride.
      this.#lookAndSlowDown();
    } finally {
      this.#scheduled = this.#waiting.size > 0;
      if (this.#scheduled) this.#runtime.queueTask(this.#takeTurn);
    }
  };
}
