const TOO_SHORT = 'the bytes end within a value';

/** Maximum length of a 64-bit number on the wire, in bytes. */
const LONGEST_VARINT = 10;

/**
 * Reads the wire format of protobuf from front to back. It copies nothing: `bytes()` returns a view.
 * All methods throw a RangeError when the bytes end too early, or when a number has more than ten bytes.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  /** The two halves of the last number. They are fields, so that reading a number allocates nothing. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** The lower 32 bits of a number, unsigned. */
  uint32(): number {
    this.#varint();
    return this.#low >>> 0;
  }

  /** The lower 32 bits of a number, signed. */
  int32(): number {
    this.#varint();
    return this.#low;
  }

  /** A signed 64-bit number; beyond 2^53 it is rounded. */
  int64(): number {
    this.#varint();
    return this.#high * 0x1_0000_0000 + (this.#low >>> 0);
  }

  /** A view of a length-prefixed byte string. */
  bytes(): Uint8Array {
    const length = this.uint32();
    const start = this.#position;
    if (length > this.#bytes.length - start) throw new RangeError(TOO_SHORT);
    this.#position = start + length;
    return this.#bytes.subarray(start, this.#position);
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let index = 0; index < LONGEST_VARINT; index += 1) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new RangeError(TOO_SHORT);
      this.#position += 1;
      const bits = byte & 0x7f;
      // Seven bits per byte, lowest first; the fifth byte contains bits of both halves.
      if (index < 5) low |= bits << (7 * index);
      if (index === 4) high = bits >> 4;
      else if (index > 4) high |= bits << (7 * index - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new RangeError(`a number has more than ${LONGEST_VARINT} bytes`);
  }
}
