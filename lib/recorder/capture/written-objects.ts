import type { Piece } from '../difference/difference-step.ts';
import { writeDifference } from '../difference/write-difference.ts';
import { CHANGE_HEAD_BYTES, MOST_CHANGED_BYTES } from '../format/record-frame.ts';

/** Copies of objects, each behind its length. */
interface Slab {
  readonly bytes: Buffer;
  /** Counts the fillings of all slabs. */
  number: number;
  used: number;
}

const LENGTH_BYTES = 4;
export const SLAB_BYTES: number = MOST_CHANGED_BYTES;
/** A difference of more than this part of the object is no gain: it would be as long each time. */
const MOST_SHARE = 1 / 4;
/** Objects of a slab that are found again: it is filled with larger ones, or not all of them are. */
const FOUND_OF_SLAB = 1024;
/** An object is looked for at so many places, which lie in one line of the processor's cache. */
const PLACES = 4;
/** Of a place: the hash of the uid, the number of the slab's filling, where the object begins in it, and where its record does in the file. */
const FIELDS = 4;
const [HASH, SLAB, START, OFFSET] = [0, 1, 2, 3];

/** What the body of a change takes at most, if the object has so many bytes. */
export function mostChangeBytes(length: number): number {
  return CHANGE_HEAD_BYTES + Math.floor(Math.min(length, MOST_CHANGED_BYTES) * MOST_SHARE);
}

/**
 * Objects of a file as they were written whole, by uid, to write later states of them as differences. A difference always refers to a whole
 * object, so each record can be read with one other.
 *
 * Guarantees: it copies what it keeps, into no more slabs than it may have. The oldest slab is filled again first, so an object that
 * changes all the time is written whole again once in a while.
 *
 * Not guaranteed: that it finds what it keeps. Two uids with one hash are taken for one object, whose states differ much.
 */
export class WrittenObjects {
  readonly #mostSlabs: number;
  readonly #slabs: Slab[] = [];
  #current: Slab | undefined;
  #filled = 0;
  /** A table of numbers: a map of objects costs several misses of the processor's cache for each look. */
  readonly #table: Int32Array;
  readonly #sets: number;

  constructor(mostBytes: number) {
    this.#mostSlabs = Math.floor(mostBytes / SLAB_BYTES);
    this.#sets = (this.#mostSlabs * FOUND_OF_SLAB) / PLACES;
    this.#table = new Int32Array(this.#sets * PLACES * FIELDS);
  }

  /**
   * Writes the body of a record of the kind `change` at `start`, where there is room for `mostChangeBytes`.
   * @returns its end; undefined when the object has to be written whole.
   */
  writeChange(uid: string, body: Buffer, target: Buffer, start: number): number | undefined {
    const { length } = body;
    if (length > MOST_CHANGED_BYTES) return undefined;
    const place = this.#find(hashOf(uid));
    if (place < 0) return undefined;
    const base = this.#objectAt(place);
    const limit = start + mostChangeBytes(length);
    const from = start + CHANGE_HEAD_BYTES;
    const next = { bytes: body, start: 0, length };
    const end = writeDifference(base, next, target, from, limit);
    if (end === undefined) return undefined;
    target.writeUInt32LE(this.#table[place + OFFSET] as number, start);
    target.writeUInt32LE(length, start + 4);
    return end;
  }

  /** The object was written whole, in the record that begins at the offset. */
  keep(uid: string, body: Buffer, offset: number): void {
    const { length } = body;
    if (this.#mostSlabs === 0 || LENGTH_BYTES + length > SLAB_BYTES) return;
    const slab = this.#slabWith(LENGTH_BYTES + length);
    const hash = hashOf(uid);
    const place = this.#placeFor(hash);
    const table = this.#table;
    table[place + HASH] = hash;
    table[place + SLAB] = slab.number;
    table[place + START] = slab.used;
    table[place + OFFSET] = offset;
    slab.used = slab.bytes.writeUInt32LE(length, slab.used);
    slab.used += body.copy(slab.bytes, slab.used);
  }

  #objectAt(place: number): Piece {
    const number = this.#table[place + SLAB] as number;
    const { bytes } = this.#slabs[(number - 1) % this.#mostSlabs] as Slab;
    const start = this.#table[place + START] as number;
    return { bytes, start: start + LENGTH_BYTES, length: bytes.readUInt32LE(start) };
  }

  /** The place of an object whose slab was not filled again; −1 if there is none. */
  #find(hash: number): number {
    const table = this.#table;
    const begin = this.#begin(hash);
    for (let place = begin; place < begin + PLACES * FIELDS; place += FIELDS) {
      if (table[place + HASH] === hash && this.#isKept(place)) return place;
    }
    return -1;
  }

  /** That of the object, or of the one that was kept first. */
  #placeFor(hash: number): number {
    const table = this.#table;
    const begin = this.#begin(hash);
    let oldest = begin;
    for (let place = begin; place < begin + PLACES * FIELDS; place += FIELDS) {
      if (table[place + HASH] === hash && this.#isKept(place)) return place;
      if (this.#age(place) < this.#age(oldest)) oldest = place;
    }
    return oldest;
  }

  /** Larger for those that were kept later. */
  #age(place: number): number {
    const table = this.#table;
    return (table[place + SLAB] as number) * SLAB_BYTES + (table[place + START] as number);
  }

  #begin(hash: number): number {
    return ((hash >>> 0) % this.#sets) * PLACES * FIELDS;
  }

  #isKept(place: number): boolean {
    const number = this.#table[place + SLAB] as number;
    return number > 0 && number > this.#filled - this.#mostSlabs;
  }

  #slabWith(size: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.used + size <= SLAB_BYTES) return current;
    const index = this.#filled % this.#mostSlabs;
    this.#filled += 1;
    const next = (this.#slabs[index] ??= newSlab());
    next.number = this.#filled;
    next.used = 0;
    this.#current = next;
    return next;
  }
}

function newSlab(): Slab {
  const bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  return { bytes, number: 0, used: 0 };
}

/** FNV-1a. */
function hashOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < uid.length; index += 1) {
    hash = Math.imul(hash ^ uid.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
