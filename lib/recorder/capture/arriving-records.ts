import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import { VANISHED, type RingRecord } from './ring-record.ts';

/** Records that are not waited for longer than until this many more have come. */
const MOST = 256;

export interface ArrivingRecordsOptions {
  /** Whether the cache still has what the record says is gone. */
  readonly isPresent: (record: RingRecord) => boolean;
  /** The cache has not taken the object of the record, for example because it has this state already. */
  readonly onNotTaken: (record: RingRecord) => void;
}

/** The newest records, which the cache may not have applied yet. */
export class ArrivingRecords {
  readonly #options: ArrivingRecordsOptions;
  readonly #records = new RingBuffer<RingRecord>();
  /** The newest of them of each object. */
  readonly #newest = new Map<string, RingRecord>();

  constructor(options: ArrivingRecordsOptions) {
    this.#options = options;
  }

  /** The newest record of an object, if the cache may not have it. */
  get(key: string): RingRecord | undefined {
    return this.#newest.size === 0 ? undefined : this.#newest.get(key);
  }

  add(record: RingRecord): void {
    this.#records.push(record);
    const { key } = record;
    if (key !== undefined) this.#newest.set(key, record);
  }

  /** Leaves out what has arrived. */
  settle(): void {
    const records = this.#records;
    for (;;) {
      const oldest = records.peek();
      if (oldest === undefined) return;
      const isLate = this.#isLate(oldest);
      if (isLate && records.size <= MOST) return;
      records.shift();
      const { key } = oldest;
      if (key !== undefined && this.#newest.get(key) === oldest) this.#newest.delete(key);
      if (isLate) this.#options.onNotTaken(oldest);
    }
  }

  clear(): void {
    this.#records.clear();
    this.#newest.clear();
  }

  #isLate(record: RingRecord): boolean {
    if (record.dropped) return false;
    return record.kind === VANISHED ? this.#options.isPresent(record) : record.isArriving;
  }
}
