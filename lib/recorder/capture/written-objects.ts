import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import {
  ChangeRecords,
  MOST_CHANGED_BYTES,
  type ChangeHead,
} from '../delta-encoding/change-records.ts';
import { CHANGE_HEAD_BYTES, FRAME_HEAD_BYTES } from '../format/record-frame.ts';

/** A difference of more than this part of the object is no gain: it would be as long each time. */
const MOST_SHARE = 1 / 4;

/** The largest size of the record of a change of an object with so many bytes. */
export function mostChangeBytes(length: number): number {
  return (
    FRAME_HEAD_BYTES +
    CHANGE_HEAD_BYTES +
    Math.floor(Math.min(length, MOST_CHANGED_BYTES) * MOST_SHARE)
  );
}

/**
 * Objects of a file that were written whole, by uid, to write later states of them as differences. A difference always refers to a whole
 * object, so each record can be read with one other.
 *
 * Guarantees: as `ChangeRecords`. Where there is no WebAssembly it keeps nothing, so each object is written whole.
 */
export class WrittenObjects {
  readonly #records: ChangeRecords | undefined;
  /** The objects that are expected; the numbers of them are in `ChangeRecords.expected`. */
  readonly #uids: string[] = [];
  #expected = 0;
  #next = 0;

  /** `random`: from 0 to 1, as of a runtime. */
  constructor(mostBytes: number, random: () => number) {
    const half = (): bigint => BigInt(Math.floor(random() * 2 ** 32));
    this.#records = ChangeRecords.open(mostBytes, (half() << 32n) | half());
  }

  /** The objects of these events come next, in this order. */
  expect(events: readonly WatchEvent<ObjectView>[]): void {
    const records = this.#records;
    if (records === undefined) return;
    const { expected } = records;
    let count = 0;
    for (const event of events) {
      if (count === expected.length) break;
      const uid = event.type === 'BOOKMARK' ? undefined : identityOf(event.object).uid;
      if (uid === undefined) continue;
      expected[count] = hashOf(uid);
      this.#uids[count] = uid;
      count += 1;
    }
    this.#expected = count;
    this.#next = 0;
    records.expect(count);
  }

  /**
   * Writes the record of a change at `start`, where there is room for `mostChangeBytes`.
   * @returns its end; undefined when the object has to be written whole.
   */
  writeChange(
    uid: string,
    body: Buffer,
    head: ChangeHead,
    target: Buffer,
    start: number,
  ): number | undefined {
    const records = this.#records;
    if (records === undefined) return undefined;
    const limit = start + mostChangeBytes(body.length);
    return records.write(this.#numberOf(uid, records), body, head, target, start, limit);
  }

  /** The object was written whole, in the record that begins at the offset. */
  keep(uid: string, body: Buffer, offset: number): void {
    this.#records?.keep(hashOf(uid), body, offset);
  }

  #numberOf(uid: string, { expected }: ChangeRecords): number {
    const at = this.#next;
    if (at === this.#expected || this.#uids[at] !== uid) return hashOf(uid);
    this.#next += 1;
    return expected[at] as number;
  }
}

/** In them a UUID has 60 of its random bits. */
const HASHED_CHARACTERS = 16;

/** FNV-1a of its last characters. */
function hashOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let index = Math.max(0, uid.length - HASHED_CHARACTERS); index < uid.length; index += 1) {
    hash = Math.imul(hash ^ uid.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
