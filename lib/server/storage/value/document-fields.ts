import { asBuffer } from '../../../kernel/data/as-buffer.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

const FIELD = Buffer.from('"resourceVersion"');
const METADATA = Buffer.from('"metadata"');
const SPEC = Buffer.from('"spec"');
const NULL = Buffer.from('null');

/**
 * The offset in a JSON object at which `"resourceVersion":"…"` is inserted: the start of its `metadata`, found without parsing.
 * Undefined if it cannot be inserted: there is no `metadata` object, or it has that field already.
 */
export function resourceVersionPlace(document: Uint8Array): number | undefined {
  const bytes = asBuffer(document);
  const metadata = findField(bytes, skipSpace(bytes, 0), METADATA);
  if (metadata === undefined || bytes[metadata] !== OPEN_BRACE) return undefined;
  // A search over all bytes is much faster than walking the fields, and nearly always sufficient.
  if (bytes.includes(FIELD) && findField(bytes, metadata, FIELD) !== undefined) return undefined;
  return metadata + 1;
}

/** The document with the field inserted, as pieces: the bytes before, the field, and the bytes after. */
export function resourceVersionPieces(
  document: Uint8Array,
  place: number,
  resourceVersion: string,
): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const bytes = asBuffer(document);
  const empty = bytes[skipSpace(bytes, place)] === CLOSE_BRACE;
  const insert = Buffer.from(`"resourceVersion":"${resourceVersion}"${empty ? '' : ','}`, 'latin1');
  return [bytes.subarray(0, place), insert, bytes.subarray(place)];
}

/** The same as one new array, which shares no memory and may be kept. */
export function spliceResourceVersion(
  document: Uint8Array,
  place: number,
  resourceVersion: string,
): Uint8Array {
  const [head, insert, tail] = resourceVersionPieces(document, place, resourceVersion);
  const spliced = Buffer.allocUnsafeSlow(head.length + insert.length + tail.length);
  spliced.set(head);
  spliced.set(insert, head.length);
  spliced.set(tail, head.length + insert.length);
  return spliced;
}

/** Where a value is in a document. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The place of the `spec` of an object, found without parsing; undefined if it has none that is an object. */
export function specRange(document: Uint8Array): ByteRange | undefined {
  const bytes = asBuffer(document);
  const start = specStart(bytes);
  return start === undefined ? undefined : { start, end: skipValue(bytes, start) };
}

/** The place of a `spec` that has the bytes of another one; undefined if the object has another `spec`, or none. */
export function sameSpec(
  document: Uint8Array,
  other: Uint8Array,
  { start: from, end: to }: ByteRange,
): ByteRange | undefined {
  const bytes = asBuffer(document);
  const start = specStart(bytes);
  if (start === undefined) return undefined;
  const end = start + to - from;
  // An object is complete with its last brace, so that what has the same bytes ends there too.
  return bytes.length > end && bytes.compare(other, from, to, start, end) === 0
    ? { start, end }
    : undefined;
}

function specStart(bytes: Buffer): number | undefined {
  const start = findField(bytes, skipSpace(bytes, 0), SPEC);
  return start !== undefined && bytes[start] === OPEN_BRACE ? start : undefined;
}

/** The document with `null` as the value in a place. */
export function withNullAt(document: Uint8Array, { start, end }: ByteRange): Uint8Array {
  return Buffer.concat([document.subarray(0, start), NULL, document.subarray(end)]);
}

/** A document with the bytes of a `spec` in the place of its own, which is `null`; undefined if it is not. */
export function withSpec(document: Uint8Array, spec: Uint8Array): Uint8Array | undefined {
  const bytes = asBuffer(document);
  const start = findField(bytes, skipSpace(bytes, 0), SPEC);
  if (start === undefined || bytes.compare(NULL, 0, NULL.length, start, start + NULL.length) !== 0)
    return undefined;
  return Buffer.concat([bytes.subarray(0, start), spec, bytes.subarray(start + NULL.length)]);
}

/** The offset of the value of a field in the object that opens at `start`; `name` includes its quotes. */
function findField(bytes: Buffer, start: number, name: Buffer): number | undefined {
  if (bytes[start] !== OPEN_BRACE) return undefined;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = skipString(bytes, at);
    const found =
      nameEnd - at === name.length && bytes.compare(name, 0, name.length, at, nameEnd) === 0;
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    if (found) return at;
    at = skipSpace(bytes, skipValue(bytes, at));
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
  return undefined;
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}

/** The position after the string whose opening quote is at `start`. */
function skipString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
    at += 1;
  }
  return bytes.length;
}
