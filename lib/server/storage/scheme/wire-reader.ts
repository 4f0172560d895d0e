const TOO_SHORT = 'the bytes end within a value';

/** Most bytes of a number of 64 bits on the wire. */
const LONGEST_VARINT = 10;

/**
 * Reads the wire format of protobuf, front to back. It copies nothing: `bytes()` returns a view.
 * All methods throw a RangeError when the bytes end too early, or hold a number of more than ten bytes.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  /** The two halves of the last number; fields, so that a number takes no object. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything was read. */
  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** The lower 32 bits of a number, without sign. */
  uint32(): number {
    this.#varint();
    return this.#low >>> 0;
  }

  /** The lower 32 bits of a number, with sign. */
  int32(): number {
    this.#varint();
    return this.#low;
  }

  /** A number of 64 bits with sign; beyond 2^53 it is rounded. */
  int64(): number {
    this.#varint();
    return this.#high * 0x1_0000_0000 + (this.#low >>> 0);
  }

  /** A view of bytes that their length stands in front of. */
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
      // Seven bits a byte, lowest first; the fifth byte lies across the halves.
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
