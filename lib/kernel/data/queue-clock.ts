import { RingBuffer } from './ring-buffer.ts';

/** All items up to the `upTo`th one, counted from the start, were queued at `atMs` or before. */
interface Mark {
  readonly upTo: number;
  readonly atMs: number;
}

/** Measures how long the oldest item of a queue has waited. It needs one mark for each write, not for each item. */
export class QueueClock {
  /** One mark for each write that still has items in the queue. */
  readonly #marks = new RingBuffer<Mark>();
  #queued = 0;
  #taken = 0;

  /** Items were added; now there are `size`. */
  queued(size: number, atMs: number): void {
    const upTo = this.#taken + size;
    if (upTo <= this.#queued) return;
    this.#queued = upTo;
    this.#marks.push({ upTo, atMs });
  }

  /** The oldest `count` items were removed. */
  taken(count: number): void {
    this.#taken += count;
    let oldest = this.#marks.peek();
    while (oldest !== undefined && oldest.upTo <= this.#taken) {
      this.#marks.shift();
      oldest = this.#marks.peek();
    }
  }

  /** How long the oldest item has waited, milliseconds; 0 when there is none. */
  waitedMs(nowMs: number): number {
    const oldest = this.#marks.peek();
    return oldest === undefined ? 0 : nowMs - oldest.atMs;
  }
}
