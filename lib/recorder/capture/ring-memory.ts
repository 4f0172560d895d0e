/** Bytes of records, filled from its start on. */
export interface RingSlab {
  readonly bytes: Buffer;
  used: number;
  /** Pieces in it that are in use. */
  live: number;
}

/** A piece of a slab. */
export interface RingPiece {
  readonly slab: RingSlab;
  readonly start: number;
  readonly end: number;
}

/** The bytes of a piece. They are no part of it, because a Buffer for each record costs more than its bytes. */
export function bytesOf({ slab, start, end }: RingPiece): Buffer {
  return slab.bytes.subarray(start, end);
}

const SLAB_BYTES = 1024 * 1024;
/** Slabs that are kept to be filled again. */
const MOST_SPARE = 8;

/** Copies of records in slabs, which are filled again when nothing in them is in use: new memory costs more than the copy. */
export class RingMemory {
  readonly #spare: Buffer[] = [];
  #slab: RingSlab | undefined;
  /** Readers of pieces that are no longer in use. */
  #pins = 0;

  copy(source: Buffer): RingPiece {
    const { length } = source;
    let slab = this.#slab;
    if (slab === undefined || slab.bytes.length - slab.used < length) slab = this.#next(length);
    const start = slab.used;
    source.copy(slab.bytes, start);
    slab.used += length;
    slab.live += 1;
    return { slab, start, end: slab.used };
  }

  release(piece: RingPiece | undefined): void {
    if (piece === undefined) return;
    const { slab } = piece;
    slab.live -= 1;
    if (slab.live > 0 || slab === this.#slab || this.#pins > 0) return;
    if (slab.bytes.length === SLAB_BYTES && this.#spare.length < MOST_SPARE) {
      this.#spare.push(slab.bytes);
    }
  }

  /** Pieces stay as they are until it is disposed. */
  pin(): Disposable {
    this.#pins += 1;
    return {
      [Symbol.dispose]: () => {
        this.#pins -= 1;
      },
    };
  }

  #next(least: number): RingSlab {
    const bytes =
      least > SLAB_BYTES
        ? Buffer.allocUnsafeSlow(least)
        : (this.#spare.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES));
    this.#slab = { bytes, used: 0, live: 0 };
    return this.#slab;
  }
}
