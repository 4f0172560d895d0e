import { asBuffer } from '../../../kernel/data/as-buffer.ts';

const TOO_SHORT = 'the bytes end within a value';

/** Maximum length of a 64-bit number on the wire, in bytes. */
const LONGEST_VARINT = 10;

/** The wire types of protobuf that Kubernetes uses. */
export const VARINT = 0;
export const FIXED_64 = 1;
export const LENGTH_DELIMITED = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED_32 = 5;

const DEEPEST_GROUP = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes. A byte order mark is kept, as in Go. @throws {TypeError} when it is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return '';
  const text = asBuffer(bytes).toString('utf8');
  // The character that stands for wrong bytes may also have been sent.
  return text.includes('\ufffd') ? utf8.decode(bytes) : text;
}

/**
 * Reads the wire format of protobuf from front to back. It copies nothing: `bytes()` returns a view. A message within another one is
 * read with the same reader: `while (reader.isBefore(end))`, where `end` comes from `messageEnd()`.
 * All methods throw a RangeError when the bytes end too early, or when a number has more than ten bytes.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  readonly #bytes: Buffer;
  #position = 0;
  /** The two halves of the last number. They are fields, so that reading a number allocates nothing. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = asBuffer(bytes);
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

  /** A signed 64-bit number. */
  bigint(): bigint {
    this.#varint();
    const high = this.#high;
    // Most numbers fit into 53 bits, and a bigint is made several times faster from one number than from two halves.
    return high >= 0 && high < 0x20_0000
      ? BigInt(high * 0x1_0000_0000 + (this.#low >>> 0))
      : (BigInt(high) << 32n) | BigInt(this.#low >>> 0);
  }

  /** Whether a number is not zero. */
  bool(): boolean {
    this.#varint();
    return (this.#low | this.#high) !== 0;
  }

  /** A view of a length-prefixed byte string. */
  bytes(): Uint8Array {
    return this.#take(this.uint32());
  }

  /** A length-prefixed string. @throws {TypeError} when it is not UTF-8. */
  string(): string {
    return textOf(this.bytes());
  }

  /** A length-prefixed string; bytes that are not UTF-8 become replacement characters. */
  lossyString(): string {
    const end = this.messageEnd();
    const text = this.#bytes.toString('utf8', this.#position, end);
    this.#position = end;
    return text;
  }

  /** Reads the length of a message, and returns the position of its end. */
  messageEnd(): number {
    const length = this.uint32();
    if (length > this.#bytes.length - this.#position) throw new RangeError(TOO_SHORT);
    return this.#position + length;
  }

  /** Whether a message that ends at `end` has more fields. Throws a RangeError when the last field went beyond its end. */
  isBefore(end: number): boolean {
    if (this.#position > end) throw new RangeError(TOO_SHORT);
    return this.#position < end;
  }

  /** A 64-bit floating-point number. */
  double(): number {
    return this.#take(8).readDoubleLE();
  }

  /** Skips the value after the tag of an unknown field. Throws a RangeError for a tag that no field can have. */
  skip(tag: number, depth: number = 0): void {
    const wireType = tag & 7;
    if (tag >>> 3 === 0) throw new RangeError(`${tag} is not the tag of a field`);
    if (wireType === VARINT) this.#varint();
    else if (wireType === LENGTH_DELIMITED) this.bytes();
    else if (wireType === FIXED_64) this.#take(8);
    else if (wireType === FIXED_32) this.#take(4);
    else if (wireType === START_GROUP && depth < DEEPEST_GROUP) this.#skipGroup(tag, depth);
    else throw new RangeError(`${tag} is not the tag of a field`);
  }

  /** Skips the value of a field that a message with the fields 1 to `known` does not have; as `skip`, but also for these. */
  skipUnknown(tag: number, known: number): void {
    if (tag >>> 3 <= known) throw new RangeError(`${tag} is not the tag of a field`);
    this.skip(tag);
  }

  #skipGroup(start: number, depth: number): void {
    for (;;) {
      const tag = this.uint32();
      if ((tag & 7) === END_GROUP && tag >>> 3 === start >>> 3) return;
      this.skip(tag, depth + 1);
    }
  }

  #take(length: number): Buffer {
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
