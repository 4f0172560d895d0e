import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import { isEndOfWatch, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import { bodyOfObject, type RecordSink } from '../capture/record-sink.ts';
import type { NumberedReader } from '../capture/recorded-readers.ts';
import type { DumpedRing, RingBeginning } from './ring-dump.ts';
import { RingMemory, RingPiece, SMALL_SLAB_BYTES } from './ring-memory.ts';
import { RECORD_BYTES, RingRecord } from './ring-record.ts';
import type { BoundedRing, RingShare } from './ring-share.ts';

export interface CallRingOptions {
  readonly share: RingShare;
  readonly mask: ObjectMask;
}

/**
 * The last records of readers without a cache. There is no state before the oldest of them: a dump has the watches that were open then,
 * and leaves out lists whose beginning was dropped.
 */
export class CallRing implements BoundedRing, DumpedRing {
  readonly #options: CallRingOptions;
  readonly #memory = new RingMemory(SMALL_SLAB_BYTES);
  readonly #records = new RingBuffer<RingRecord>();
  /** The dropped beginnings of watches that were open at the newest dropped record, by request. */
  readonly #open = new Map<number, RingRecord[]>();
  #bytes = 0;
  #closed = false;

  constructor(options: CallRingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#records.size;
  }

  get oldest(): RingRecord | undefined {
    return this.#records.peek();
  }

  get records(): Iterable<RingRecord> {
    return this.#records;
  }

  /** The readers of its records. */
  get readers(): readonly NumberedReader[] {
    const readers = [...this.#open.values(), this.#records].flatMap((records) =>
      [...records].map(({ reader }) => reader),
    );
    return readers.filter((reader) => reader !== undefined);
  }

  sinkOf(reader: NumberedReader): RecordSink {
    const { mask } = this.#options;
    return {
      put: (frame) => this.#put(frame, reader),
      putObject: ({ request, atMs }, kind, flags, object) => {
        const body = bodyOfObject(object, mask);
        this.#put({ kind, flags, request, atMs, body }, reader);
      },
    };
  }

  drop(): void {
    const record = this.#records.shift() as RingRecord;
    const { kind, place } = record;
    const open = this.#open.get(place.request);
    if (kind === RecordKind.watchAsked) this.#open.set(place.request, [record]);
    else if (kind === RecordKind.watchAccepted && open !== undefined) open.push(record);
    else this.#free(record);
    if (!isEndOfWatch(kind)) return;
    this.#open.delete(place.request);
    for (const beginning of open ?? []) this.#free(beginning);
  }

  close(): void {
    this.#closed = true;
    this.#records.clear();
    this.#open.clear();
    this.#grow(-this.#bytes);
  }

  pin(): Disposable {
    return this.#memory.pin();
  }

  beginning(): RingBeginning {
    const open = [...this.#open.values()].flat();
    return {
      keptFrom: undefined,
      frames: (atMs) =>
        open.map(({ kind, flags, place: { request }, body }) => ({
          kind,
          flags,
          request,
          atMs,
          body: (body as RingPiece).bytes,
        })),
    };
  }

  #put({ kind, flags, request, atMs, body }: RecordFrame, reader: NumberedReader): void {
    if (this.#closed) return;
    const { share } = this.#options;
    const record = new RingRecord(share.nextOrder(), { request, atMs }, kind, flags);
    record.reader = reader;
    record.body = this.#memory.copy(body);
    this.#grow(body.length + RECORD_BYTES);
    this.#records.push(record);
    share.dropOld(this);
  }

  #free({ body }: RingRecord): void {
    if (!(body instanceof RingPiece)) return;
    this.#grow(-body.length - RECORD_BYTES);
    this.#memory.release(body);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#options.share.bytes += bytes;
  }
}
