const FIRST_CAPACITY = 64 * 1024;

/** The wire types of protobuf that are used here. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/**
 * Writes a protobuf message from its end to its beginning, so that the length of a nested message is known when it is written.
 * Fields are therefore written in reverse order. All methods write a whole field, except `text`, which writes bytes only.
 */
export class BackwardWriter {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  /** Everything from here to the end of the buffer is written. */
  #start = FIRST_CAPACITY;

  /** The number of bytes that are written. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** A copy of what is written. */
  bytes(): Uint8Array {
    return Uint8Array.from(this.#buffer.subarray(this.#start));
  }

  string(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#start -= length;
    this.#buffer.write(text, this.#start);
    this.#varint(length);
    this.#tag(field, BYTES);
  }

  /** Ends a field with a nested message that has been written since `before`, the length at that time. */
  message(field: number, before: number): void {
    this.#varint(this.length - before);
    this.#tag(field, BYTES);
  }

  boolean(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#tag(field, VARINT);
  }

  /** An integer of up to 53 bits. */
  integer(field: number, value: number): void {
    if (value >= 0) this.#varint(value);
    else this.#negative(value);
    this.#tag(field, VARINT);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
    this.#tag(field, FIXED64);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    this.#reserve(size);
    this.#start -= size;
    let rest = value;
    for (let at = this.#start; at < this.#start + size; at += 1) {
      const isLast = at === this.#start + size - 1;
      this.#buffer[at] = (rest % 128) + (isLast ? 0 : 128);
      rest = Math.floor(rest / 128);
    }
  }

  /** Ten bytes, as two's complement of 64 bits. */
  #negative(value: number): void {
    this.#reserve(10);
    this.#start -= 10;
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let index = 0; index < 10; index += 1) {
      this.#buffer[this.#start + index] = Number(rest & 127n) + (index === 9 ? 0 : 128);
      rest >>= 7n;
    }
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const { length } = this;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, length + size));
    this.#buffer.copy(grown, grown.length - length, this.#start);
    this.#start = grown.length - length;
    this.#buffer = grown;
  }
}
