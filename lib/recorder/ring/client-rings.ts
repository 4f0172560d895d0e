import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { collectionKey } from '../format/reader-record.ts';
import type { RecordFrame } from '../format/record-frame.ts';
import { CallRing } from './call-ring.ts';
import {
  readerFrame,
  type NumberedReader,
  type SinkOfRequest,
} from '../capture/recorded-readers.ts';
import { RecordingRing } from './recording-ring.ts';
import type { DumpedRing } from './ring-dump.ts';
import type { RingShare } from './ring-share.ts';

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
    this.#calls = new CallRing(options);
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
    const ring = new RecordingRing<KubernetesObject>({ share, mask, cache, reader: reader.number });
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
