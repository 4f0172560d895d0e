import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import { keptViewOf } from '../../cache/memory/views/kept-view.ts';
import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import { joinedKey } from '../../meta/key.ts';
import type { CollectionMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import {
  isEndOfWatch,
  jsonFrame,
  LAST_OF_BATCH,
  RecordKind,
  type RecordFrame,
} from '../format/record-frame.ts';
import { ArrivingRecords } from './arriving-records.ts';
import { ListProgress } from './list-progress.ts';
import { bodyOfObject, type RecordPlace, type RecordSink } from '../capture/record-sink.ts';
import { RingMemory, RingPiece, SMALL_SLAB_BYTES } from './ring-memory.ts';
import { jsonOf, RECORD_BYTES, RingRecord, VANISHED, type RingBody } from './ring-record.ts';
import type { RingShare } from './ring-share.ts';
import type { DumpedRing, RingBeginning } from './ring-dump.ts';
import type { DeferredReleases } from '../../cache/memory/object-memory.ts';

/**
 * Objects that have left a cache while records may refer to them: nothing is copied, they stay where the cache had them.
 *
 * A record that has come after an object left does not refer to it, so an object is released when all records before that are dropped.
 */
class EarlierStates {
  readonly #releases: DeferredReleases | undefined;
  readonly #left = new RingBuffer<ObjectView>();
  /** The number of records that had come when it left, for each. */
  readonly #cameBefore = new RingBuffer<number>();
  readonly #onBytes: (change: number) => void;
  #came = 0;
  #dropped = 0;

  /** `onBytes`: what they take has changed by so much. */
  constructor(cache: Pick<ReceivedObjects, 'deferReleases'>, onBytes: (change: number) => void) {
    this.#onBytes = onBytes;
    this.#releases = cache.deferReleases((object) => this.#add(object));
  }

  /** Whether the cache can do that. */
  get kept(): boolean {
    return this.#releases !== undefined;
  }

  /** A record has come. */
  came(): void {
    this.#came += 1;
  }

  /** The oldest record was dropped. */
  dropped(): void {
    this.#dropped += 1;
    for (;;) {
      const before = this.#cameBefore.peek();
      if (before === undefined || before > this.#dropped) return;
      this.#cameBefore.shift();
      const object = this.#left.shift() as ObjectView;
      this.#onBytes(-(object.sizeBytes ?? 0));
      this.#releases?.release(object);
    }
  }

  /** All are released, and what leaves from now on is released at once. */
  close(): void {
    this.#releases?.[Symbol.dispose]();
    for (const object of this.#left.drain()) {
      this.#onBytes(-(object.sizeBytes ?? 0));
      this.#releases?.release(object);
    }
    this.#cameBefore.clear();
  }

  #add(object: ObjectView): void {
    if (this.#came === this.#dropped) {
      this.#releases?.release(object);
      return;
    }
    this.#left.push(object);
    this.#cameBefore.push(this.#came);
    this.#onBytes(object.sizeBytes ?? 0);
  }
}

export interface RecordingRingOptions<T extends KubernetesObject> {
  readonly cache: ReceivedObjects<ObjectView<T>>;
  readonly share: RingShare;
  /** That of the collection of the cache. */
  readonly mask: CollectionMask;
  /** Its number among the readers of a recording that has several. */
  readonly reader?: number | undefined;
}

/** The request of the list that a dump begins with, of the reader with number 0. */
const BASE_REQUEST = 0xffffffff;

/**
 * The last records of a cache, within bytes and time, but for those of probes, which say nothing of the state. A dump begins with the
 * state before the oldest of them: the objects of the cache, and of those that have records, what they were before. Where the cache can
 * keep objects that leave it, records refer to them and copy nothing.
 */
export class RecordingRing<T extends KubernetesObject> implements RecordSink, DumpedRing {
  readonly #options: RecordingRingOptions<T>;
  readonly #share: RingShare;
  readonly #memory: RingMemory;
  readonly #earlier: EarlierStates;
  readonly #arriving: ArrivingRecords;
  readonly #records = new RingBuffer<RingRecord>();
  /** Up to the newest record. */
  readonly #newest = new ListProgress();
  /** Up to the newest record that was dropped. */
  readonly #dropped = new ListProgress();
  /** The version of the last complete list. */
  #listVersion = '';
  /** The watch that was open when the last dropped record came. */
  #openWatch: RingRecord | undefined;
  /** Its part of the bytes of all rings. */
  #bytes = 0;
  /** The time of the newest record. */
  #newestMs = 0;
  #hasDropped = false;
  #isNew = true;
  #closed = false;

  constructor(options: RecordingRingOptions<T>) {
    this.#options = options;
    const { cache, mask, share, reader } = options;
    this.#share = share;
    this.#memory = new RingMemory(reader === undefined ? undefined : SMALL_SLAB_BYTES);
    this.#earlier = new EarlierStates(cache, (change) => {
      this.#grow(change);
      if (change > 0) this.#dropOld();
    });
    this.#arriving = new ArrivingRecords({
      hasBacklog: () => this.#newest.underWay || cache.backlog > 0,
      onNotTaken: (record) => {
        record.body = this.#copy(jsonOf(record.body, mask));
      },
      onForgotten: ({ dropped, body }) => {
        if (dropped) this.#free(body);
      },
    });
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

  /** Nothing more will come. */
  get hasEnded(): boolean {
    return this.#options.cache.stopped.aborted;
  }

  /** Whether the cache lacks a list that it will have. */
  get isBehind(): boolean {
    return this.#listVersion !== '' && !this.#options.cache.has(this.#listVersion);
  }

  put(frame: RecordFrame): void {
    if (this.#closed) return;
    const { kind, flags, request, atMs, body } = frame;
    if (this.#newest.isOfProbe(frame, () => body)) return;
    this.#newestMs = atMs;
    if (this.#isNew) this.#beginWithCache();
    const record = new RingRecord(this.#share.nextOrder(), { request, atMs }, kind, flags);
    // It may be a part of a larger buffer, which would be kept with it.
    record.body = this.#copy(body);
    this.#push(record);
    const newest = this.#newest;
    const wasUnderWay = newest.underWay;
    const isComplete = newest.follow(frame, () => body);
    if (isComplete) this.#vanish(record.place);
    if (isComplete || (wasUnderWay && !newest.underWay)) this.#arriving.endList(isComplete);
    this.#dropOld();
  }

  putObject(place: RecordPlace, kind: number, flags: number, object: ObjectView): void {
    if (this.#closed) return;
    const newest = this.#newest;
    if (newest.isObjectOfProbe(place.request)) return;
    this.#newestMs = place.atMs;
    this.#arriving.begin(place);
    const record = new RingRecord(this.#share.nextOrder(), place, kind, flags);
    const { name, namespace, resourceVersion } = identityOf(object);
    record.resourceVersion = resourceVersion;
    record.body = this.#kept(object);
    if (name !== undefined) {
      const key = joinedKey(name, namespace);
      keptViewOf(object)?.shareKey(key);
      record.key = key;
      record.prior = this.#before(key);
    }
    this.#push(record);
    this.#arriving.add(record, newest.underWay);
    if (kind === RecordKind.event) newest.changed(resourceVersion);
    this.#dropOld();
  }

  close(): void {
    this.#closed = true;
    this.#records.clear();
    this.#arriving.clear();
    this.#earlier.close();
    this.#grow(-this.#bytes);
  }

  /** Objects that a list no longer has are removed at the end of the list. */
  drop(): void {
    do this.#dropOldest();
    while (this.#records.peek()?.kind === VANISHED);
  }

  /** A dump begins behind a list that is no longer whole. */
  dropCutList(): void {
    while (this.#dropped.underWay && this.#records.size > 0) this.drop();
  }

  bodyOf({ body }: RingRecord): Buffer {
    return jsonOf(body, this.#options.mask);
  }

  /** Keeps what it refers to, until it is disposed. */
  pin(): Disposable {
    const pins = [this.#options.cache.pin(), this.#memory.pin()];
    return {
      [Symbol.dispose]: () => {
        for (const pin of pins) pin[Symbol.dispose]();
      },
    };
  }

  /** The state before its oldest record, and the watch that was open then. The objects are those of this moment. */
  beginning(): RingBeginning {
    const base = this.#base();
    if (base === undefined) return { keptFrom: undefined, frames: () => [] };
    const { resourceVersion } = this.#dropped;
    const watch = this.#openWatch && {
      request: this.#openWatch.place.request,
      isAccepted: this.oldest?.kind !== RecordKind.watchAccepted,
    };
    return {
      keptFrom: resourceVersion,
      frames: (atMs) => this.#frames({ base, resourceVersion, watch }, atMs),
    };
  }

  /** A reader that goes on where its cache is has a state before its first record. */
  #beginWithCache(): void {
    this.#isNew = false;
    const { cache } = this.#options;
    if (cache.backlog > 0 || cache.resourceVersion === '') return;
    this.#hasDropped = true;
    this.#dropped.changed(cache.resourceVersion);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#share.bytes += bytes;
  }

  #push(record: RingRecord): void {
    this.#records.push(record);
    this.#grow(RECORD_BYTES);
    this.#earlier.came();
  }

  /** The state of an object before the next record. */
  #before(key: string): RingBody | undefined {
    const record = this.#arriving.get(key);
    if (record !== undefined) return shared(record.after);
    const object = this.#options.cache.get(key);
    return object && this.#kept(object);
  }

  /** The object itself, if the cache keeps its bytes; otherwise a copy. */
  #kept(object: ObjectView): RingBody {
    if (this.#earlier.kept && keptViewOf(object) !== undefined) return object;
    return this.#copy(bodyOfObject(object, this.#options.mask));
  }

  #copy(bytes: Buffer): RingPiece {
    this.#grow(bytes.length);
    return this.#memory.copy(bytes);
  }

  /** A list is complete: what the cache has and the list does not is gone. */
  #vanish(place: RecordPlace): void {
    this.#listVersion = this.#newest.resourceVersion;
    for (const key of this.#options.cache.keys()) {
      if (this.#arriving.isListed(key)) continue;
      const record = new RingRecord(this.#share.nextOrder(), place, VANISHED, 0);
      record.key = key;
      record.prior = this.#before(key);
      this.#push(record);
      this.#arriving.add(record, false);
    }
  }

  #dropOld(): void {
    this.#share.dropOld(this, this.#newestMs);
  }

  #dropOldest(): void {
    const record = this.#records.shift() as RingRecord;
    this.#grow(-RECORD_BYTES);
    const { place, kind, body, prior } = record;
    this.#hasDropped = true;
    record.dropped = true;
    if (kind === RecordKind.event) {
      this.#dropped.changed(record.resourceVersion);
    } else if (kind !== RecordKind.item) {
      const { mask } = this.#options;
      this.#dropped.follow({ kind, request: place.request }, () => jsonOf(body, mask));
      if (kind === RecordKind.watchAsked) this.#openWatch = record;
      else if (this.#openWatch?.place.request === place.request && isEndOfWatch(kind))
        this.#openWatch = undefined;
    }
    this.#free(prior);
    if (!record.isNewest) this.#free(body);
    this.#earlier.dropped();
  }

  #free(body: RingBody | undefined): void {
    if (!(body instanceof RingPiece)) return;
    body.uses -= 1;
    if (body.uses > 0) return;
    this.#grow(-body.length);
    this.#memory.release(body);
  }

  /** The objects before the oldest record; undefined if nothing was dropped. */
  #base(): Iterable<Buffer> | undefined {
    if (!this.#hasDropped || this.#dropped.resourceVersion === '') return undefined;
    const changed = new Map<string, RingBody | undefined>();
    for (const { key, prior } of this.#records) {
      if (key !== undefined && !changed.has(key)) changed.set(key, prior);
    }
    const objects = this.#options.cache.list();
    const { mask } = this.#options;
    return (function* (): Generator<Buffer> {
      for (const prior of changed.values()) if (prior !== undefined) yield jsonOf(prior, mask);
      for (const object of objects) {
        const { name = '', namespace } = identityOf(object);
        if (!changed.has(joinedKey(name, namespace))) yield jsonOf(object, mask);
      }
    })();
  }

  *#frames({ base, resourceVersion, watch }: Beginning, atMs: number): Generator<RecordFrame> {
    const { reader } = this.#options;
    const place = { request: BASE_REQUEST - (reader ?? 0), atMs };
    yield jsonFrame(RecordKind.listAsked, { reader }, place);
    for (const body of base)
      yield { kind: RecordKind.item, flags: 1 | LAST_OF_BATCH, ...place, body };
    yield jsonFrame(RecordKind.pageEnd, { resourceVersion }, place);
    if (watch === undefined) return;
    const { request, isAccepted } = watch;
    // It goes on from the state above, also if it has begun as a streaming list.
    const again = { resourceVersion, allowWatchBookmarks: true, reader };
    yield jsonFrame(RecordKind.watchAsked, again, { request, atMs });
    if (isAccepted) yield jsonFrame(RecordKind.watchAccepted, undefined, { request, atMs });
  }
}

interface Beginning {
  readonly base: Iterable<Buffer>;
  readonly resourceVersion: string;
  readonly watch: { readonly request: number; readonly isAccepted: boolean } | undefined;
}

function shared(body: RingBody | undefined): RingBody | undefined {
  if (body instanceof RingPiece) body.uses += 1;
  return body;
}
