import type { ReceivedObjects } from '../../cache/informer/collection/received-objects.ts';
import { keptViewOf } from '../../cache/memory/views/kept-view.ts';
import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { joinedKey } from '../../meta/key.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import { replaceFile, type FileWriter } from '../files/private-file.ts';
import { headBytes, RECORDING_LINE, type HeaderFields } from '../format/file-head.ts';
import {
  frameBytes,
  isEndOfWatch,
  jsonFrame,
  LAST_OF_BATCH,
  RecordKind,
  type RecordFrame,
} from '../format/record-frame.ts';
import { ArrivingRecords } from './arriving-records.ts';
import { EarlierStates } from './earlier-states.ts';
import { ListProgress } from './list-progress.ts';
import { bodyOfObject, type RecordPlace, type RecordSink } from './record-sink.ts';
import { RingMemory, RingPiece } from './ring-memory.ts';
import { jsonOf, RECORD_BYTES, RingRecord, VANISHED, type RingBody } from './ring-record.ts';

export interface RecordingRingOptions<T extends KubernetesObject> {
  readonly cache: ReceivedObjects<ObjectView<T>>;
  /** Resolves when the cache has every change up to a version. */
  readonly caughtUp: (resourceVersion: string) => Promise<void>;
  readonly maxBytes: number;
  readonly keepMs: number;
  readonly fields: HeaderFields;
  readonly mask: ObjectMask;
  readonly now: () => number;
  readonly files: FileWriter;
  readonly runtime: Runtime;
}

/** The request of the list that a dump begins with. */
const BASE_REQUEST = 0xffffffff;
const CHUNK_BYTES = 256 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The last records, within bytes and time, but for those of probes, which say nothing of the state. A dump begins with the state before the oldest of them: the objects of the cache, and of those
 * that have records, what they were before. Where the cache can keep objects that leave it, records refer to them and copy nothing.
 */
export class RecordingRing<T extends KubernetesObject> implements RecordSink {
  readonly #options: RecordingRingOptions<T>;
  readonly #memory = new RingMemory();
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
  #copiedBytes = 0;
  #hasDropped = false;
  #closed = false;

  constructor(options: RecordingRingOptions<T>) {
    this.#options = options;
    const { cache, mask } = options;
    this.#earlier = new EarlierStates(cache, () => this.#dropOld());
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

  get records(): number {
    return this.#records.size;
  }

  /** What it takes besides the cache. */
  get bytes(): number {
    return this.#copiedBytes + this.#earlier.bytes + this.#records.size * RECORD_BYTES;
  }

  put(frame: RecordFrame): void {
    if (this.#closed) return;
    const { kind, flags, request, atMs, body } = frame;
    if (this.#newest.isOfProbe(frame, () => body)) return;
    const record = new RingRecord({ request, atMs }, kind, flags);
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
    if (newest.isOfProbe({ kind, request: place.request }, () => NOTHING)) return;
    this.#arriving.begin(place);
    const record = new RingRecord(place, kind, flags);
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
    this.#copiedBytes = 0;
  }

  /** Writes the records as a file. They are those of the moment in which the cache has every list that was dropped. */
  async dump(path: string): Promise<void> {
    const { cache, files, runtime, caughtUp } = this.#options;
    if (this.#listVersion !== '') await caughtUp(this.#listVersion);
    this.#dropOld();
    while (this.#dropped.underWay && this.#records.size > 0) this.#drop();
    const pins = [cache.pin(), this.#memory.pin()];
    try {
      const chunks = this.#chunks([...this.#records], this.#base());
      await replaceFile(path, chunks, { files, runtime, code: 'RECORDING_FILE' });
    } finally {
      for (const pin of pins) pin[Symbol.dispose]();
    }
  }

  #push(record: RingRecord): void {
    this.#records.push(record);
    this.#earlier.came();
  }

  /** What an object is before the next record. */
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
    this.#copiedBytes += bytes.length;
    return this.#memory.copy(bytes);
  }

  /** A list is complete: what the cache has and the list does not is gone. */
  #vanish(place: RecordPlace): void {
    this.#listVersion = this.#newest.resourceVersion;
    for (const key of this.#options.cache.keys()) {
      if (this.#arriving.isListed(key)) continue;
      const record = new RingRecord(place, VANISHED, 0);
      record.key = key;
      record.prior = this.#before(key);
      this.#push(record);
      this.#arriving.add(record, false);
    }
  }

  #dropOld(): void {
    const { maxBytes, keepMs, now } = this.#options;
    const oldestMs = now() - keepMs;
    for (;;) {
      const oldest = this.#records.peek();
      if (oldest === undefined) return;
      if (this.bytes <= maxBytes && oldest.place.atMs >= oldestMs) return;
      this.#drop();
    }
  }

  /** What a list no longer has is gone with the end of the list. */
  #drop(): void {
    do this.#dropOldest();
    while (this.#records.peek()?.kind === VANISHED);
  }

  #dropOldest(): void {
    const record = this.#records.shift() as RingRecord;
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
    this.#copiedBytes -= body.length;
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

  async *#chunks(
    records: readonly RingRecord[],
    base: Iterable<Buffer> | undefined,
  ): AsyncGenerator<Buffer> {
    const { fields, runtime, now } = this.#options;
    const keptFrom = this.#dropped.resourceVersion;
    yield headBytes(RECORDING_LINE, base === undefined ? fields : { ...fields, keptFrom });
    let parts: Buffer[] = [];
    let size = 0;
    let count = 0;
    for (const frame of this.#frames(records, base, keptFrom)) {
      const bytes = frameBytes(frame);
      parts.push(bytes);
      size += bytes.length;
      count += 1;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
      await nextTask(runtime);
    }
    const end = jsonFrame(RecordKind.end, { reason: 'dump', records: count }, { atMs: now() });
    yield Buffer.concat([...parts, frameBytes(end)]);
  }

  *#frames(
    records: readonly RingRecord[],
    base: Iterable<Buffer> | undefined,
    resourceVersion: string,
  ): Generator<RecordFrame> {
    const open = this.#openWatch;
    if (base !== undefined) {
      const place = { request: BASE_REQUEST, atMs: records[0]?.place.atMs ?? this.#options.now() };
      yield jsonFrame(RecordKind.listAsked, {}, place);
      for (const body of base)
        yield { kind: RecordKind.item, flags: 1 | LAST_OF_BATCH, ...place, body };
      yield jsonFrame(RecordKind.pageEnd, { resourceVersion }, place);
      if (open !== undefined) {
        // It goes on from the state above, also if it has begun as a streaming list.
        const again = { resourceVersion, allowWatchBookmarks: true };
        const { request } = open.place;
        yield jsonFrame(RecordKind.watchAsked, again, { ...place, request });
        if (records[0]?.kind !== RecordKind.watchAccepted) {
          yield jsonFrame(RecordKind.watchAccepted, undefined, { ...place, request });
        }
      }
    }
    const { mask } = this.#options;
    for (const { place, kind, flags, body } of records)
      if (kind !== VANISHED) yield { kind, flags, ...place, body: jsonOf(body, mask) };
  }
}

function shared(body: RingBody | undefined): RingBody | undefined {
  if (body instanceof RingPiece) body.uses += 1;
  return body;
}
