import {
  isDigit,
  isUuid,
  packDigits,
  packUuid,
  unpackDigits,
  unpackUuid,
  UUID_BYTES,
  UUID_LENGTH,
} from './hex-digits.ts';
import { Scratch } from './scratch.ts';

/*
 * Deflate finds what objects have in common. What they have not is hexadecimal in Kubernetes, digests and identifiers, of
 * which it makes 5 bits a digit, and longer codes for the rest. In packed JSON a byte that JSON never has stands for each,
 * and their values have a place of their own. Uid and resource version are left out: whoever keeps an object knows them.
 */
const UID = 1;
const VERSION = 2;
const DIGEST = 3;
const UUID = 4;
/** Comes before JSON that has one of these bytes in it, and is left as it is. */
const AS_IS = 5;

const QUOTE = 0x22;
const DASH = 0x2d;
const DIGEST_DIGITS = 64;
const DIGEST_BYTES = DIGEST_DIGITS / 2;
/** Digests and identifiers are longer: one byte of so many tells whether there can be any. */
const STEP = 32;

/** With more bytes of values than this, JSON is left as it is. */
const MOST_VALUES = 0xffff;

/** Uid and resource version of an object, as they stand in its JSON. */
export interface PackedIdentity {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Most bytes of text for so much JSON. */
export function packedBound(jsonLength: number): number {
  return jsonLength + 1;
}

/** Packs JSON, one object after the other. */
export class JsonPacker {
  readonly #texts = new Scratch();
  readonly #valueBytes = new Scratch();
  #json: Buffer = Buffer.alloc(0);
  #text: Buffer = this.#json;
  #values: Buffer = this.#json;
  #textLength = 0;
  #valuesLength = 0;

  /** To be deflated; until the next object is packed. */
  get text(): Buffer {
    return this.#text.subarray(0, this.#textLength);
  }

  /** What cannot be made shorter; until the next object is packed. */
  get values(): Buffer {
    return this.#values.subarray(0, this.#valuesLength);
  }

  pack(json: Buffer, { uid, resourceVersion }: PackedIdentity): void {
    this.#json = json;
    this.#text = this.#texts.take(packedBound(json.length));
    this.#values = this.#valueBytes.take(json.length);
    this.#textLength = 0;
    this.#valuesLength = 0;
    if (!hasMark(json)) this.#packAll(uid, resourceVersion);
    if (this.#textLength > 0 && this.#valuesLength <= MOST_VALUES) return;
    this.#textLength = 0;
    this.#valuesLength = 0;
    this.#mark(AS_IS);
    this.#copy(0, json.length);
  }

  #packAll(uid: string | undefined, resourceVersion: string | undefined): void {
    const json = this.#json;
    const uidStart = startOf(json, uid);
    const versionStart = startOf(json, resourceVersion);
    const uidFirst = uidStart < versionStart;
    const from = uidFirst ? this.#leaveOut(0, UID, uidStart, uid) : 0;
    const next = this.#leaveOut(from, VERSION, versionStart, resourceVersion);
    const last = uidFirst ? next : this.#leaveOut(next, UID, uidStart, uid);
    this.#packSpan(last, json.length);
  }

  /** Everything before `start`, and a mark for what stands there. Returns where that ends. */
  #leaveOut(from: number, mark: number, start: number, text: string | undefined): number {
    if (text === undefined || start < from || start === this.#json.length) return from;
    this.#packSpan(from, start);
    this.#mark(mark);
    return start + text.length;
  }

  #packSpan(from: number, to: number): void {
    const json = this.#json;
    let done = from;
    for (let probe = from + STEP - 1; probe < to; probe += STEP) {
      if (!isPart(json[probe] as number)) continue;
      let start = probe;
      while (start > done && isPart(json[start - 1] as number)) start -= 1;
      let end = probe + 1;
      while (end < to && isPart(json[end] as number)) end += 1;
      const packed = end - start < UUID_LENGTH ? 0 : this.#packRun(done, start, end);
      if (packed > 0) done = end;
      probe = Math.max(probe, end - 1);
    }
    this.#copy(done, to);
  }

  /** Digits and dashes: what they end in is packed. Returns how many there are of it, and none if it is not to be packed. */
  #packRun(done: number, start: number, end: number): number {
    const digest = end - DIGEST_DIGITS;
    const uuid = end - UUID_LENGTH;
    if (digest >= start && isDigest(this.#json, digest, end)) {
      this.#copy(done, digest);
      this.#mark(DIGEST);
      this.#valuesLength = packDigits(
        this.#json,
        digest,
        DIGEST_DIGITS,
        this.#values,
        this.#valuesLength,
      );
      return DIGEST_DIGITS;
    }
    if (!isUuid(this.#json, uuid)) return 0;
    this.#copy(done, uuid);
    this.#mark(UUID);
    this.#valuesLength = packUuid(this.#json, uuid, this.#values, this.#valuesLength);
    return UUID_LENGTH;
  }

  #mark(mark: number): void {
    this.#text[this.#textLength] = mark;
    this.#textLength += 1;
  }

  #copy(from: number, to: number): void {
    this.#json.copy(this.#text, this.#textLength, from, to);
    this.#textLength += to - from;
  }
}

/**
 * Makes JSON, which has to become as long as `target`, of a text and its values. False when they do not belong together.
 */
export function unpackJson(
  text: Buffer,
  values: Uint8Array,
  { uid = '', resourceVersion = '' }: PackedIdentity,
  target: Buffer,
): boolean {
  if (text[0] === AS_IS) {
    text.copy(target, 0, 1);
    return text.length - 1 === target.length && values.length === 0;
  }
  let done = 0;
  let length = 0;
  let value = 0;
  const marks = new Marks(text);
  for (let place = marks.next(); place < text.length; place = marks.next()) {
    text.copy(target, length, done, place);
    length += place - done;
    done = place + 1;
    if (length > target.length) return false;
    const mark = text[place] as number;
    if (mark === DIGEST) {
      length = unpackDigits(values, value, DIGEST_BYTES, target, length);
      value += DIGEST_BYTES;
    } else if (mark === UUID) {
      length = unpackUuid(values, value, target, length);
      value += UUID_BYTES;
    } else {
      length += target.write(mark === UID ? uid : resourceVersion, length, 'latin1');
    }
  }
  const rest = text.length - done;
  if (length + rest !== target.length || value !== values.length) return false;
  text.copy(target, length, done);
  return true;
}

/** Finds the marks of a text, the first one first: by searches of its own for each, which are many times as fast as looking. */
class Marks {
  readonly #text: Buffer;
  readonly #places: number[] = [];

  constructor(text: Buffer) {
    this.#text = text;
    for (let mark = UID; mark < AS_IS; mark += 1) this.#places.push(this.#find(mark, 0));
  }

  /** The place of the next one; the end of the text when there is none. */
  next(): number {
    const places = this.#places;
    let first = 0;
    for (let other = 1; other < places.length; other += 1) {
      if ((places[other] as number) < (places[first] as number)) first = other;
    }
    const place = places[first] as number;
    if (place < this.#text.length) places[first] = this.#find(first + UID, place + 1);
    return place;
  }

  #find(mark: number, from: number): number {
    const place = this.#text.indexOf(mark, from);
    return place < 0 ? this.#text.length : place;
  }
}

/** Where a string of JSON begins whose text this is, behind its quotation mark; behind everything if there is none. */
function startOf(json: Buffer, text: string | undefined): number {
  if (text === undefined || text === '') return json.length;
  for (let from = 0; ; ) {
    const found = json.indexOf(text, from, 'latin1');
    if (found < 0) return json.length;
    if (json[found - 1] === QUOTE && json[found + text.length] === QUOTE) return found;
    from = found + 1;
  }
}

function hasMark(json: Buffer): boolean {
  for (let mark = UID; mark <= AS_IS; mark += 1) if (json.includes(mark)) return true;
  return false;
}

/** Of a digest or identifier. */
function isPart(byte: number): boolean {
  return isDigit(byte) || byte === DASH;
}

function isDigest(json: Buffer, start: number, end: number): boolean {
  for (let place = start; place < end; place += 1) {
    if (json[place] === DASH) return false;
  }
  return true;
}
