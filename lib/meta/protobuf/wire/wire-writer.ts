import { malformedObject } from './protobuf-error.ts';
import { parseTime } from './time-text.ts';

const FIRST_BYTES = 64 * 1024;
/** Between two messages, the buffer keeps at most this much. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** A message cannot be larger: its length has to fit into 31 bits. */
const MOST_BYTES = 0x7fff_ffff;
/** The most bytes of a number with its tag. */
const NUMBER_BYTES = 16;
/** Shorter strings are written faster here than by a call. */
const SHORT_STRING = 48;

/**
 * The bytes that are being written, and the position of the first that is. A message is written from its end to its start, so that
 * a length is known when it is written, in front of what it counts. One object for all encoders: the generated ones read and write
 * `at` between their calls.
 */
export const wire: { bytes: Buffer; at: number } = {
  bytes: Buffer.alloc(0),
  at: 0,
};

/** Runs an encoder, and returns the bytes that it wrote. An encoder that is started by another one has its own buffer. */
export function writeMessage(write: () => void): Buffer {
  const { bytes, at } = wire;
  const isInner = at !== bytes.length;
  if (isInner || bytes.length === 0) wire.bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  wire.at = wire.bytes.length;
  try {
    write();
    return Buffer.from(wire.bytes.subarray(wire.at));
  } finally {
    if (isInner) {
      wire.bytes = bytes;
      wire.at = at;
    } else {
      if (wire.bytes.length > MOST_KEPT_BYTES) wire.bytes = Buffer.alloc(0);
      wire.at = wire.bytes.length;
    }
  }
}

/** Reserves `count` bytes in front of those that are written. */
export function reserve(count: number): void {
  if (wire.at >= count) return;
  const { bytes, at } = wire;
  const used = bytes.length - at;
  const length = Math.max(2 * bytes.length, used + count);
  if (length > MOST_BYTES) throw malformedObject('the object is larger than protobuf can carry');
  const larger = Buffer.allocUnsafeSlow(length);
  bytes.copy(larger, length - used, at);
  wire.bytes = larger;
  wire.at = length - used;
}

/** A tag, or any whole number from 0 to 2^31. Its bytes must be reserved. */
export function writeSmall(value: number): void {
  const { bytes } = wire;
  if (value < 0x80) {
    bytes[(wire.at -= 1)] = value;
    return;
  }
  let at = wire.at - (value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5);
  wire.at = at;
  let rest = value;
  while (rest >= 0x80) {
    bytes[at] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
    at += 1;
  }
  bytes[at] = rest;
}

/** How many bytes are written. A length is the difference of two of these, as the buffer may grow between them. */
export function written(): number {
  return wire.bytes.length - wire.at;
}

/** The length of what was written since `before`, and a tag in front of it. */
export function writeLength(before: number, tag: number): void {
  const length = wire.bytes.length - wire.at - before;
  reserve(NUMBER_BYTES);
  writeSmall(length);
  writeSmall(tag);
}

export function writeBool(value: unknown, tag: number): void {
  if (typeof value !== 'boolean') throw wrongType(value, 'a boolean');
  reserve(NUMBER_BYTES);
  writeSmall(value ? 1 : 0);
  writeSmall(tag);
}

export function writeInt32(value: unknown, tag: number): void {
  if (typeof value !== 'number' || value !== (value | 0))
    throw wrongType(value, 'a whole number of 32 bits');
  writeWhole(value, tag);
}

export function writeInt64(value: unknown, tag: number): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 2 ** 63) {
    throw wrongType(value, 'a whole number of 64 bits');
  }
  writeWhole(value, tag);
}

function writeWhole(value: number, tag: number): void {
  reserve(NUMBER_BYTES);
  if (value >= 0 && value <= MOST_BYTES) writeSmall(value);
  else writeLarge(value);
  writeSmall(tag);
}

/** A number of 64 bits with a sign. */
export function writeBigInt64(value: bigint, tag: number): void {
  reserve(NUMBER_BYTES);
  writeHalves(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  writeSmall(tag);
}

function writeLarge(value: number): void {
  writeHalves(value >>> 0, Math.floor(value / 0x1_0000_0000) >>> 0);
}

/** As two's complement of 64 bits, in two unsigned halves: a negative number takes ten bytes. */
function writeHalves(low: number, high: number): void {
  const { bytes } = wire;
  const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
  const last = wire.at - 1;
  let at = wire.at - Math.max(1, Math.ceil(bits / 7));
  wire.at = at;
  for (; at < last; at += 1) {
    bytes[at] = (low & 0x7f) | 0x80;
    low = (low >>> 7) | (high << 25);
    high >>>= 7;
  }
  bytes[last] = low & 0x7f;
}

export function writeDouble(value: unknown, tag: number): void {
  if (typeof value !== 'number') throw wrongType(value, 'a number');
  reserve(NUMBER_BYTES);
  wire.at -= 8;
  wire.bytes.writeDoubleLE(value, wire.at);
  writeSmall(tag);
}

export function writeString(value: unknown, tag: number): void {
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  const before = written();
  writeText(value);
  writeLength(before, tag);
}

function writeText(value: string): void {
  const { length } = value;
  if (length > SHORT_STRING) {
    writeLongText(value);
    return;
  }
  reserve(length);
  const { bytes } = wire;
  const at = wire.at - length;
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index);
    if (code >= 0x80) {
      writeLongText(value);
      return;
    }
    bytes[at + index] = code;
  }
  wire.at = at;
}

function writeLongText(value: string): void {
  const length = Buffer.byteLength(value, 'utf8');
  reserve(length);
  wire.at -= length;
  wire.bytes.write(value, wire.at, length === value.length ? 'latin1' : 'utf8');
}

const BASE_64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes, from their base64. */
export function writeBytes(value: unknown, tag: number): void {
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  if (!BASE_64.test(value)) throw new RangeError('it is not base64');
  writeByteString(Buffer.from(value, 'base64'), tag);
}

export function writeByteString(bytes: Uint8Array, tag: number): void {
  reserve(bytes.length);
  wire.at -= bytes.length;
  wire.bytes.set(bytes, wire.at);
  reserve(NUMBER_BYTES);
  writeSmall(bytes.length);
  writeSmall(tag);
}

/** A message that is empty if the time was never set. */
export function writeTime(value: unknown, tag: number): void {
  if (value === null || value === undefined) return writeNothing(tag);
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  return writeTimestamp(parseTime(value).seconds, 0, tag);
}

/** As `writeTime`, with six digits of the fraction. */
export function writeMicroTime(value: unknown, tag: number): void {
  if (value === null || value === undefined) return writeNothing(tag);
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  const { seconds, nanos } = parseTime(value);
  return writeTimestamp(seconds, nanos - (nanos % 1_000), tag);
}

/** An empty message. */
export function writeNothing(tag: number): void {
  reserve(NUMBER_BYTES);
  writeSmall(0);
  writeSmall(tag);
}

function writeTimestamp(seconds: number, nanos: number, tag: number): void {
  const before = written();
  writeWhole(nanos, 0x10);
  writeWhole(seconds, 0x08);
  writeLength(before, tag);
}

export function writeQuantity(value: unknown, tag: number): void {
  const text = typeof value === 'number' ? String(value) : (value ?? '0');
  const before = written();
  writeString(text, 0x0a);
  writeLength(before, tag);
}

export function writeIntOrString(value: unknown, tag: number): void {
  const before = written();
  const isText = typeof value === 'string';
  writeString(isText ? value : '', 0x1a);
  writeInt32(isText ? 0 : (value ?? 0), 0x10);
  writeWhole(isText ? 1 : 0, 0x08);
  writeLength(before, tag);
}

/** JSON as its text; null and undefined as an empty message. */
export function writeRawJson(value: unknown, tag: number): void {
  if (value === null || value === undefined) return writeNothing(tag);
  const before = written();
  writeString(JSON.stringify(value), 0x0a);
  return writeLength(before, tag);
}

/** A list of strings as a message. */
export function writeStrings(value: unknown, tag: number): void {
  if (value !== null && value !== undefined && !Array.isArray(value))
    throw wrongType(value, 'a list');
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const before = written();
  for (let index = items.length - 1; index >= 0; index -= 1) writeString(items[index] ?? '', 0x0a);
  writeLength(before, tag);
}

/** The keys of a map, last first, in the order of their bytes. */
export function keysBackwards(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongType(value, 'an object');
  }
  const keys = Object.keys(value);
  if (keys.length > 1) keys.sort(NOT_ASCII.test(keys.join('')) ? byBytes : undefined);
  return keys.toReversed();
}

const NOT_ASCII = /[^\0-\x7f]/;

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** For JSON that has another type than its field. */
export function wrongType(value: unknown, expected: string): RangeError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new RangeError(`it has to be ${expected}, not ${actual}`);
}
