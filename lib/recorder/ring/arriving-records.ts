import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { RingRecord } from './ring-record.ts';

/** Objects in the bytes of the network that are waited for; bytes that the cache does not take are copied then. */
const MOST_IN_NETWORK = 256;
/** Of this many objects the newest record is known, whatever the backlog of the cache. */
const MOST_OBJECTS = 65_536;

export interface ArrivingRecordsOptions {
  /** Whether the cache may not have applied what was given to it. */
  readonly hasBacklog: () => boolean;
  /** The cache has not taken the object of the record, for example because it has this state already. */
  readonly onNotTaken: (record: RingRecord) => void;
  /** It is not asked for the record any more. */
  readonly onForgotten: (record: RingRecord) => void;
}

/**
 * The newest record of each object that the cache may not have applied yet.
 *
 * A batch of records is given to the cache after they have come here, so they are known until the cache has had no backlog at the begin of
 * two later batches.
 */
export class ArrivingRecords {
  readonly #options: ArrivingRecordsOptions;
  readonly #inNetwork = new RingBuffer<RingRecord>();
  #newest = new Map<string, RingRecord>();
  #earlier = new Map<string, RingRecord>();
  /** Those of the list that is under way. */
  #listed = new Map<string, RingRecord>();
  #place: object | undefined;

  constructor(options: ArrivingRecordsOptions) {
    this.#options = options;
  }

  /** The newest record of an object, if the cache may not have it. */
  get(key: string): RingRecord | undefined {
    return this.#newest.get(key) ?? this.#earlier.get(key);
  }

  /** The next record has this place, which all of a batch have. */
  begin(place: object): void {
    if (place === this.#place) return;
    this.#place = place;
    this.#settle();
    const isFull = this.#newest.size >= MOST_OBJECTS;
    if (this.#newest.size > 0 && (isFull || !this.#options.hasBacklog())) this.#forgetEarlier();
  }

  /** `inList`: it belongs to a list that is under way, and counts if the list is complete. */
  add(record: RingRecord, inList: boolean): void {
    if (record.isInNetwork) this.#inNetwork.push(record);
    this.#set(inList ? this.#listed : this.#newest, record);
  }

  /** The list that was under way has ended, whole or not. */
  endList(complete: boolean): void {
    const listed = this.#listed;
    if (listed.size === 0) return;
    this.#listed = new Map();
    for (const record of listed.values()) {
      if (complete) this.#set(this.#newest, record);
      else this.#forget(record);
    }
  }

  /** Keys of the list that is under way. */
  isListed(key: string): boolean {
    return this.#listed.has(key);
  }

  clear(): void {
    this.#inNetwork.clear();
    this.#newest.clear();
    this.#earlier.clear();
    this.#listed.clear();
  }

  #set(newest: Map<string, RingRecord>, record: RingRecord): void {
    const { key } = record;
    if (key === undefined) return;
    const before = newest.get(key);
    record.isNewest = true;
    newest.set(key, record);
    if (before !== undefined) this.#forget(before);
  }

  /** Leaves out what the cache has taken. */
  #settle(): void {
    const records = this.#inNetwork;
    for (;;) {
      const oldest = records.peek();
      if (oldest === undefined) return;
      const isLeft = !oldest.dropped && oldest.isInNetwork;
      if (isLeft && records.size <= MOST_IN_NETWORK) return;
      records.shift();
      if (isLeft) this.#options.onNotTaken(oldest);
    }
  }

  #forgetEarlier(): void {
    const gone = this.#earlier;
    this.#earlier = this.#newest;
    this.#newest = new Map();
    for (const record of gone.values()) this.#forget(record);
  }

  #forget(record: RingRecord): void {
    record.isNewest = false;
    this.#options.onForgotten(record);
  }
}
