import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { parseFields, parseRawJson } from './raw-json.ts';
import { microTimeText, timeText } from './time-text.ts';

/**
 * Thrown by a fast decoder for bytes that are wrong, or right in an unusual way: fields that are not in the order of their numbers,
 * messages in parts. They are decoded again by the interpreter, which decides, and finds the words. It has no stack: it is one object.
 */
export const UNUSUAL: Error = new Error('the bytes are not as Kubernetes writes them');

/** Methods that every `Buffer` has and its types do not list: `toString` without the search for the encoding. */
interface SlicedBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
  base64Slice(start: number, end: number): string;
}

/**
 * The bytes that are being read, and the position in them. One object for all fast decoders: generated ones read and write `at`
 * between their calls. Decoding is synchronous and calls no foreign code, so there is one at a time.
 */
export const input: {
  bytes: SlicedBuffer;
  at: number;
  end: number;
  /** The bytes from `textStart` on as characters, when `isText`: short strings are cut from it. */
  text: string;
  textStart: number;
  isText: boolean;
  /** How many more messages may come. */
  budget: number;
  depth: number;
  refuseUnknown: boolean;
  /** The lower half of the last long number. */
  low: number;
} = {
  bytes: Buffer.alloc(0) as SlicedBuffer,
  at: 0,
  end: 0,
  text: '',
  textStart: 0,
  isText: false,
  budget: 0,
  depth: 0,
  refuseUnknown: false,
  low: 0,
};

const NO_BYTES = Buffer.alloc(0) as SlicedBuffer;

export function openInput(bytes: Uint8Array): void {
  input.bytes = asBuffer(bytes) as SlicedBuffer;
  input.at = 0;
  input.end = bytes.byteLength;
}

/** Forgets the bytes, so that they can be collected. */
export function closeInput(): void {
  input.bytes = NO_BYTES;
  input.text = '';
  input.isText = false;
}

/** Makes a text of the bytes up to `end`. */
export function openText(end: number): void {
  input.text = input.bytes.latin1Slice(input.at, end);
  input.textStart = input.at;
  input.isText = true;
}

/** A whole number; beyond 2^53 it is rounded. */
export function varint(): number {
  const { bytes, at } = input;
  // A byte behind the end is undefined, and ends up in `longVarint`, which checks.
  let byte = bytes[at] as number;
  if (byte < 0x80) {
    input.at = at + 1;
    return byte;
  }
  let value = byte & 0x7f;
  byte = bytes[at + 1] as number;
  value |= (byte & 0x7f) << 7;
  if (byte < 0x80) {
    input.at = at + 2;
    return value;
  }
  byte = bytes[at + 2] as number;
  value |= (byte & 0x7f) << 14;
  if (byte < 0x80) {
    input.at = at + 3;
    return value;
  }
  return longVarint();
}

/** The most bytes of a number. */
const LONGEST_VARINT = 10;

function longVarint(): number {
  const { bytes, at, end } = input;
  let low = 0;
  let high = 0;
  for (let index = 0; index < LONGEST_VARINT && at + index < end; index += 1) {
    const byte = bytes[at + index] as number;
    const bits = byte & 0x7f;
    // Seven bits per byte, lowest first; the fifth byte contains bits of both halves.
    if (index < 5) low |= bits << (7 * index);
    if (index === 4) high = bits >> 4;
    else if (index > 4) high |= bits << (7 * index - 32);
    if (byte < 0x80) {
      input.at = at + index + 1;
      input.low = low;
      return high * 0x1_0000_0000 + (low >>> 0);
    }
  }
  throw UNUSUAL;
}

export function int32(): number {
  const value = varint();
  return Number.isSafeInteger(value) ? value | 0 : input.low;
}

/** The end of a value whose length is read. */
export function length(): number {
  const count = varint();
  const end = input.at + count;
  if (!(count >= 0 && end <= input.end)) throw UNUSUAL;
  return end;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A longer string is found to be ASCII faster by a call. */
const SHORT_STRING = 40;
/** The replacement for bytes that are not UTF-8; it may also have been sent. */
const REPLACEMENT = '\ufffd';

export function string(): string {
  const end = length();
  const { bytes, at: start } = input;
  if (end === start) return '';
  input.at = end;
  if (end - start > SHORT_STRING || !input.isText) return longString(start, end);
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] as number) >= 0x80) return longString(start, end);
  }
  return input.text.slice(start - input.textStart, end - input.textStart);
}

function longString(start: number, end: number): string {
  const text = input.bytes.utf8Slice(start, end);
  // A string of ASCII has one byte a character: it is known at once that this one is not in it.
  return text.includes(REPLACEMENT) ? utf8.decode(input.bytes.subarray(start, end)) : text;
}

export function base64(): string {
  const end = length();
  const text = input.bytes.base64Slice(input.at, end);
  input.at = end;
  return text;
}

export function double(): number {
  const { at } = input;
  if (at + 8 > input.end) throw UNUSUAL;
  input.at = at + 8;
  return input.bytes.readDoubleLE(at);
}

export function time(): string | null {
  const end = length();
  if (input.at === end) return null;
  expectByte(0x08);
  const seconds = varint();
  if (input.at < end) {
    expectByte(0x10);
    varint();
  }
  expectEnd(end);
  return timeText(seconds);
}

export function microTime(): string | null {
  const end = length();
  if (input.at === end) return null;
  expectByte(0x08);
  const seconds = varint();
  let nanos = 0;
  if (input.at < end) {
    expectByte(0x10);
    nanos = int32();
  }
  expectEnd(end);
  return microTimeText(seconds, nanos);
}

export function quantity(): string {
  const end = length();
  if (input.at === end) return '0';
  expectByte(0x0a);
  const text = string();
  expectEnd(end);
  return text;
}

export function intOrString(): number | string {
  const end = length();
  expectByte(0x08);
  const kind = varint();
  expectByte(0x10);
  const whole = int32();
  expectByte(0x1a);
  const text = string();
  expectEnd(end);
  if (kind !== 0 && kind !== 1) throw UNUSUAL;
  return kind === 0 ? whole : text;
}

/** The JSON of managed fields. */
export function fields(): unknown {
  const text = jsonText();
  return parseFields(text);
}

export function rawJson(): unknown {
  const text = jsonText();
  return parseRawJson(text);
}

function jsonText(): string {
  const end = length();
  if (input.at === end) return '';
  expectByte(0x0a);
  const text = string();
  expectEnd(end);
  return text;
}

/** A list of strings that is a message. */
export function strings(): string[] {
  const end = length();
  const items: string[] = [];
  while (input.at < end) {
    expectByte(0x0a);
    items.push(string());
  }
  expectEnd(end);
  return items;
}

export function expectByte(byte: number): void {
  if (input.bytes[input.at] !== byte) throw UNUSUAL;
  input.at += 1;
}

export function expectEnd(end: number): void {
  if (input.at !== end) throw UNUSUAL;
}

/** Skips the value after the tag of a field that the message does not have. */
export function skipUnknown(tag: number, known: ReadonlySet<number>): void {
  if (input.refuseUnknown || tag < 8 || tag > 0xffff_ffff || known.has(tag >>> 3)) throw UNUSUAL;
  const wireType = tag & 7;
  if (wireType === 0) varint();
  else if (wireType === 2) input.at = length();
  else if (wireType === 1) input.at += 8;
  else if (wireType === 5) input.at += 4;
  else throw UNUSUAL;
}

/** Sets an entry of a map. A key that names a part of every object becomes an own field as well. */
export function setEntry(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    map[key] = value;
  }
}
