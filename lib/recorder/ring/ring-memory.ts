/** Bytes of records, filled from its start on. */
export interface RingSlab {
  readonly bytes: Buffer;
  used: number;
  /** Pieces in it that are in use. */
  live: number;
}

/** A piece of a slab. */
export class RingPiece {
  readonly slab: RingSlab;
  readonly start: number;
  readonly end: number;
  /** The records that refer to it. */
  uses = 1;

  constructor(slab: RingSlab, start: number, end: number) {
    this.slab = slab;
    this.start = start;
    this.end = end;
  }

  /** Not kept, because a Buffer for each record costs more than its bytes. */
  get bytes(): Buffer {
    return this.slab.bytes.subarray(this.start, this.end);
  }

  get length(): number {
    return this.end - this.start;
  }
}

/** Of a ring of its own; the rings of a client have smaller ones, as many of them get little. */
export const LARGE_SLAB_BYTES: number = 1024 * 1024;
export const SMALL_SLAB_BYTES: number = 64 * 1024;
/** Slabs that are kept to be filled again. */
const MOST_SPARE = 8;

/** Copies of records in slabs, which are filled again when nothing in them is in use: new memory costs more than the copy. */
export class RingMemory {
  readonly #slabBytes: number;
  readonly #spare: Buffer[] = [];
  #slab: RingSlab | undefined;
  /** Readers of pieces that are no longer in use. */
  #pins = 0;

  constructor(slabBytes: number = LARGE_SLAB_BYTES) {
    this.#slabBytes = slabBytes;
  }

  copy(source: Buffer): RingPiece {
    const { length } = source;
    let slab = this.#slab;
    if (slab === undefined || slab.bytes.length - slab.used < length) slab = this.#next(length);
    const start = slab.used;
    source.copy(slab.bytes, start);
    slab.used += length;
    slab.live += 1;
    return new RingPiece(slab, start, slab.used);
  }

  release({ slab }: RingPiece): void {
    slab.live -= 1;
    if (slab.live > 0 || slab === this.#slab || this.#pins > 0) return;
    if (slab.bytes.length === this.#slabBytes && this.#spare.length < MOST_SPARE) {
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
      least > this.#slabBytes
        ? Buffer.allocUnsafeSlow(least)
        : (this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#slabBytes));
    this.#slab = { bytes, used: 0, live: 0 };
    return this.#slab;
  }
}
