/** Takes the complete parts between `start` and `end` and returns the start of the rest. */
export type PieceTaker = (bytes: Buffer, start: number, end: number) => number;

const NOTHING: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 1024;
/** Larger parts are not waited for in one go. */
const LARGE_PART_BYTES = 64 * 1024;

/**
 * Passes pieces of a stream to a taker that takes only whole parts. The taker gets the rest again when more bytes have arrived.
 *
 * Guarantees:
 * - A part within one piece is not copied; a part that spans several pieces is copied into one buffer.
 * - An incomplete part is passed again when it is as long as the part before it, and then each time its size has doubled, so
 *   the time for a part is linear in its size.
 * - A buffer from which the taker has taken a part does not change and is not reused.
 */
export class PieceJoiner {
  /** The length of the last part, as an estimate for the next one. */
  partBytes = 0;
  readonly #take: PieceTaker;
  /** The start of an incomplete part. */
  #held: Buffer = NOTHING;
  #heldBytes = 0;
  /** When this many bytes are held, the taker gets them again. */
  #wantedBytes = 0;

  constructor(take: PieceTaker) {
    this.#take = take;
  }

  push(piece: Buffer): void {
    let at = 0;
    while (this.#heldBytes > 0) {
      at += this.#append(piece, at);
      if (this.#heldBytes < this.#wantedBytes) return;
      const left = this.#takeHeld();
      if (left > at) continue;
      // The rest is within this piece.
      at -= left;
      this.#heldBytes = 0;
    }
    if (at === piece.length) return;
    const rest = this.#take(piece, at, piece.length);
    if (rest < piece.length) this.#hold(piece, rest, piece.length);
  }

  /** Passes the rest to the taker after the last piece. */
  end(): void {
    if (this.#heldBytes > 0) this.#take(this.#held, 0, this.#heldBytes);
    this.#heldBytes = 0;
    this.#held = NOTHING;
  }

  /** Returns the number of bytes that the taker left. */
  #takeHeld(): number {
    const bytes = this.#held;
    const end = this.#heldBytes;
    const rest = this.#take(bytes, 0, end);
    if (rest === 0) this.#wantedBytes = 2 * end;
    else this.#hold(bytes, rest, end);
    return end - rest;
  }

  #hold(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    const expected = Math.ceil(1.125 * Math.min(this.partBytes, LARGE_PART_BYTES));
    this.#wantedBytes = Math.max(LEAST_BYTES, expected > length ? expected : 2 * length);
    this.#held = Buffer.allocUnsafe(this.#wantedBytes);
    bytes.copy(this.#held, 0, start, end);
    this.#heldBytes = length;
  }

  /** Copies the wanted bytes of a piece; returns their number. */
  #append(piece: Buffer, start: number): number {
    const length = Math.min(this.#wantedBytes - this.#heldBytes, piece.length - start);
    if (this.#wantedBytes > this.#held.length) {
      const larger = Buffer.allocUnsafe(this.#wantedBytes);
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#heldBytes, start, start + length);
    this.#heldBytes += length;
    return length;
  }
}
