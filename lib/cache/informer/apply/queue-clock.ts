import { RingBuffer } from '../../../kernel/ring-buffer.ts';

/** Everything up to the `upTo`th item that was ever queued was there at `atMs`. */
interface Mark {
  readonly upTo: number;
  readonly atMs: number;
}

/** Knows since when the oldest item of a queue waits, at the cost of one mark a write, however many items it brought. */
export class QueueClock {
  /** One for each write that is not used up: never more than there are items. */
  readonly #marks = new RingBuffer<Mark>();
  #queued = 0;
  #taken = 0;

  /** Items came in, and now there are `size`. */
  queued(size: number, atMs: number): void {
    const upTo = this.#taken + size;
    if (upTo <= this.#queued) return;
    this.#queued = upTo;
    this.#marks.push({ upTo, atMs });
  }

  /** The oldest `count` items have gone. */
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
