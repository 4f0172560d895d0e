import type { ReceivedObjects } from '../../cache/informer/collection/received-objects.ts';
import { objectJson } from '../../cache/memory/object-json.ts';
import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { joinedKey } from '../../meta/key.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectIdentity, type ObjectView } from '../../meta/object-view.ts';
import { replaceFile, type FileWriter } from '../files/private-file.ts';
import { headBytes, RECORDING_LINE, type HeaderFields } from '../format/file-head.ts';
import {
  frameBytes,
  jsonFrame,
  LAST_OF_BATCH,
  RecordKind,
  type RecordFrame,
} from '../format/record-frame.ts';
import { ListProgress } from './list-progress.ts';
import type { RecordSink } from './recording-file.ts';
import { bytesOf, RingMemory, type RingPiece } from './ring-memory.ts';
import { bodyOf, sizeOf, stateAfter, VANISHED, type RingRecord } from './ring-record.ts';

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
const NOTHING: ObjectIdentity = Object.freeze({});

/**
 * The last records, within bytes and time. A dump begins with the state before the oldest of them: the objects of the cache, and of those
 * that have records, what they were before.
 */
export class RecordingRing<T extends KubernetesObject> implements RecordSink {
  readonly #options: RecordingRingOptions<T>;
  readonly #memory = new RingMemory();
  readonly #records = new RingBuffer<RingRecord>();
  /** The last record of each object. */
  readonly #last = new Map<string, RingRecord>();
  /** Up to the newest record. */
  readonly #newest = new ListProgress();
  /** Up to the newest record that was dropped. */
  readonly #dropped = new ListProgress();
  /** Keys of the list that is under way. */
  #listed = new Set<string>();
  /** The version of the last complete list. */
  #listVersion = '';
  /** The watch that was open when the last dropped record came. */
  #openWatch: RingRecord | undefined;
  #bytes = 0;
  #hasDropped = false;
  #closed = false;

  constructor(options: RecordingRingOptions<T>) {
    this.#options = options;
  }

  get records(): number {
    return this.#records.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  put(frame: RecordFrame, object?: ObjectView): void {
    if (this.#closed) return;
    const { name, namespace, resourceVersion } =
      object === undefined ? NOTHING : identityOf(object);
    const counts = name !== undefined && !this.#newest.probes.has(frame.request);
    const key = counts ? joinedKey(name, namespace) : undefined;
    // The body lies in the bytes of the network, which would all be kept with it.
    const piece = this.#memory.copy(frame.body);
    const { kind, flags, request, atMs } = frame;
    const place = { kind, flags, request, atMs, piece };
    this.#push({ ...place, key, resourceVersion, next: undefined, prior: undefined });
    if (frame.kind === RecordKind.listAsked || frame.kind === RecordKind.watchAsked) {
      if (!this.#newest.underWay) this.#listed = new Set();
    }
    if (this.#newest.follow(frame, resourceVersion, () => frame.body)) this.#vanish(frame);
    else if (key !== undefined && this.#newest.underWay) this.#listed.add(key);
    this.#dropOld();
  }

  close(): void {
    this.#closed = true;
    this.#records.clear();
    this.#last.clear();
    this.#bytes = 0;
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
    const { key } = record;
    if (key !== undefined) {
      const before = this.#last.get(key);
      if (before === undefined) record.prior = this.#present(key);
      else before.next = record;
      this.#last.set(key, record);
    }
    this.#records.push(record);
    this.#bytes += sizeOf(record);
  }

  /** What the cache has of an object. */
  #present(key: string): RingPiece | undefined {
    const object = this.#options.cache.get(key);
    return object && this.#memory.copy(this.#options.mask.apply(objectJson(object)));
  }

  /** A list is complete: what the cache has and the list does not is gone. */
  #vanish({ request, atMs }: RecordFrame): void {
    this.#listVersion = this.#newest.resourceVersion;
    const listed = this.#listed;
    this.#listed = new Set();
    for (const key of this.#options.cache.keys()) {
      if (listed.has(key)) continue;
      const frame = { kind: VANISHED, flags: 0, request, atMs, piece: undefined };
      this.#push({ ...frame, key, resourceVersion: undefined, next: undefined, prior: undefined });
    }
  }

  #dropOld(): void {
    const { maxBytes, keepMs, now } = this.#options;
    const oldestMs = now() - keepMs;
    for (;;) {
      const oldest = this.#records.peek();
      if (oldest === undefined || (this.#bytes <= maxBytes && oldest.atMs >= oldestMs)) return;
      this.#drop();
    }
  }

  #drop(): void {
    const record = this.#records.shift() as RingRecord;
    this.#hasDropped = true;
    this.#bytes -= sizeOf(record);
    this.#dropped.follow(record, record.resourceVersion, () => bodyOf(record));
    const { key, next, kind, request } = record;
    if (kind === RecordKind.watchAsked) this.#openWatch = record;
    else if (this.#openWatch?.request === request && isEndOfWatch(kind))
      this.#openWatch = undefined;
    const memory = this.#memory;
    memory.release(record.prior);
    const state = next === undefined ? undefined : stateAfter(record);
    if (state === undefined) memory.release(record.piece);
    if (key === undefined) return;
    if (next === undefined) {
      this.#last.delete(key);
      return;
    }
    this.#bytes -= sizeOf(next);
    next.prior = state;
    this.#bytes += sizeOf(next);
  }

  /** The objects before the oldest record; undefined if nothing was dropped. */
  #base(): Iterable<Buffer> | undefined {
    if (!this.#hasDropped || this.#dropped.resourceVersion === '') return undefined;
    const changed = new Map<string, RingPiece | undefined>();
    for (const { key, prior } of this.#records) {
      if (key !== undefined && !changed.has(key)) changed.set(key, prior);
    }
    const objects = this.#options.cache.list();
    const { mask } = this.#options;
    return (function* (): Generator<Buffer> {
      for (const prior of changed.values()) if (prior !== undefined) yield bytesOf(prior);
      for (const object of objects) {
        const { name = '', namespace } = identityOf(object);
        if (!changed.has(joinedKey(name, namespace))) yield mask.apply(objectJson(object));
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
      const place = { request: BASE_REQUEST, atMs: records[0]?.atMs ?? this.#options.now() };
      yield jsonFrame(RecordKind.listAsked, {}, place);
      for (const body of base)
        yield { kind: RecordKind.item, flags: 1 | LAST_OF_BATCH, ...place, body };
      yield jsonFrame(RecordKind.pageEnd, { resourceVersion }, place);
      if (open !== undefined) {
        // It goes on from the state above, also if it has begun as a streaming list.
        const again = { resourceVersion, allowWatchBookmarks: true };
        yield jsonFrame(RecordKind.watchAsked, again, { ...place, request: open.request });
        if (records[0]?.kind !== RecordKind.watchAccepted) {
          yield jsonFrame(RecordKind.watchAccepted, undefined, { ...place, request: open.request });
        }
      }
    }
    for (const record of records)
      if (record.kind !== VANISHED) yield { ...record, body: bodyOf(record) };
  }
}

function isEndOfWatch(kind: number): boolean {
  return (
    kind === RecordKind.watchEnded ||
    kind === RecordKind.watchFailed ||
    kind === RecordKind.watchLeft
  );
}
