/** Takes what is complete between `start` and `end` and returns where the rest starts. */
export type PieceTaker = (bytes: Buffer, start: number, end: number) => number;

const NOTHING: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 1024;
/** Larger parts are not waited for in one go. */
const LARGE_PART_BYTES = 64 * 1024;

/**
 * Hands pieces of a stream to a taker that takes whole parts only; what it leaves it gets again when more has come.
 *
 * Guarantees:
 * - What lies within one piece stays where it lies; a part over several pieces is copied together.
 * - A part that is not complete is looked at again when it is as long as the one before it, and then each time it has doubled:
 *   all looks at a part take time linear in its size.
 * - Bytes of which the taker took something do not change and are not used again.
 */
export class PieceJoiner {
  /** How long parts are at present, as far as the taker knows. */
  partBytes = 0;
  readonly #take: PieceTaker;
  /** The start of an incomplete part. */
  #held: Buffer = NOTHING;
  #heldBytes = 0;
  /** As soon as so much is held, the taker looks at it again. */
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
      // The rest lies within this piece.
      at -= left;
      this.#heldBytes = 0;
    }
    if (at === piece.length) return;
    const rest = this.#take(piece, at, piece.length);
    if (rest < piece.length) this.#hold(piece, rest, piece.length);
  }

  /** Has the taker look at what is left: no more pieces come. */
  end(): void {
    if (this.#heldBytes > 0) this.#take(this.#held, 0, this.#heldBytes);
    this.#heldBytes = 0;
    this.#held = NOTHING;
  }

  /** Returns how much the taker left. */
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

  /** Takes as much of a piece as is wanted; returns how much that was. */
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
