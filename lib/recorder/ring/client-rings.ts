import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { collectionKey } from '../format/reader-record.ts';
import { isEndOfWatch, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import {
  readerFrame,
  type NumberedReader,
  type SinkOfRequest,
} from '../capture/recorded-readers.ts';
import { RecordingRing } from './recording-ring.ts';
import type { DumpedRing, RingBeginning } from './ring-dump.ts';
import type { RingShare, BoundedRing } from './ring-share.ts';
import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import { bodyOfObject, type RecordSink } from '../capture/record-sink.ts';
import { RingMemory, RingPiece, SMALL_SLAB_BYTES } from './ring-memory.ts';
import { RECORD_BYTES, RingRecord } from './ring-record.ts';

interface CallRingOptions {
  readonly share: RingShare;
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
    return {
      put: (frame) => this.#put(frame, reader),
      putObject: ({ request, atMs }, kind, flags, object, mask) => {
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

  bodyOf({ body }: RingRecord): Buffer {
    // It was masked when it came.
    return (body as RingPiece).bytes;
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

export interface ClientRingsOptions {
  readonly share: RingShare;
  readonly mask: ObjectMask;
}

/** Caches that have stopped and are kept for their last minutes, at most; of one collection, the last one alone. */
const MOST_STOPPED = 16;

interface CacheRing {
  readonly reader: NumberedReader;
  readonly ring: RecordingRing<KubernetesObject>;
}

/** The last records of all who read through a client: a ring for each cache, and one for those who have none. */
export class ClientRings {
  readonly #options: ClientRingsOptions;
  readonly #calls: CallRing;
  /** From the oldest to the newest. */
  readonly #caches = new Set<CacheRing>();

  constructor(options: ClientRingsOptions) {
    this.#options = options;
    this.#calls = new CallRing({ share: options.share });
    options.share.add(this.#calls);
  }

  get size(): number {
    return [...this.#caches].reduce((sum, { ring }) => sum + ring.size, this.#calls.size);
  }

  /** A source may fill one cache after the other. Of several at a time, the first has a ring; a ring has the states of one. */
  sinkOf(numbered: NumberedReader): SinkOfRequest {
    const calls = this.#calls.sinkOf(numbered);
    if (numbered.reader.by === 'call') return () => calls;
    let present: { readonly cache: ReceivedObjects; readonly ring: CacheRing['ring'] } | undefined;
    return (cache) => {
      if (cache === undefined) return calls;
      if (cache === present?.cache) return present.ring;
      if (present?.cache.stopped.aborted === false) return calls;
      if (present !== undefined) this.#end(present.ring);
      present = { cache, ring: this.#begin(numbered, cache) };
      return present.ring;
    };
  }

  /** The rings, for a dump. */
  get rings(): readonly DumpedRing[] {
    return [...this.#caches].map(({ ring }): DumpedRing => ring).concat(this.#calls);
  }

  /** Records of the readers. */
  get readers(): readonly RecordFrame[] {
    const readers = [...this.#caches].map(({ reader }) => reader);
    return [...new Set([...readers, ...this.#calls.readers])].map((one) => readerFrame(one, 0));
  }

  /** A reader whose cache lacks a list that it will have; undefined if there is none. */
  get behind(): NumberedReader | undefined {
    for (const { reader, ring } of this.#caches) if (ring.isBehind && !ring.hasEnded) return reader;
    return undefined;
  }

  /** Leaves out what is too old, lists that are no longer whole, and caches that have stopped before they had a list. */
  dropOld(): void {
    this.#options.share.dropAllOld();
    for (const { ring } of this.#caches) {
      if (ring.isBehind && ring.hasEnded) this.#end(ring);
      else ring.dropCutList();
    }
  }

  close(): void {
    for (const { ring } of this.#caches) this.#end(ring);
    this.#options.share.delete(this.#calls);
    this.#calls.close();
  }

  #begin(reader: NumberedReader, cache: ReceivedObjects): RecordingRing<KubernetesObject> {
    this.#leaveStopped();
    const { share, mask } = this.#options;
    const { number, reader: of } = reader;
    const ring = new RecordingRing<KubernetesObject>({
      share,
      mask: mask.of(of),
      cache,
      reader: number,
    });
    share.add(ring);
    this.#caches.add({ reader, ring });
    return ring;
  }

  #end(ended: RecordingRing<KubernetesObject>): void {
    for (const one of this.#caches) if (one.ring === ended) this.#caches.delete(one);
    this.#options.share.delete(ended);
    ended.close();
  }

  /** A stopped cache is kept as long as it has records, and there is no later one. */
  #leaveStopped(): void {
    this.#options.share.dropAllOld();
    const kept = new Set<string>();
    for (const { ring, reader } of [...this.#caches].toReversed()) {
      if (!ring.hasEnded) continue;
      const key = collectionKey(reader.reader);
      if (ring.size === 0 || kept.has(key) || kept.size >= MOST_STOPPED) this.#end(ring);
      else kept.add(key);
    }
  }
}
