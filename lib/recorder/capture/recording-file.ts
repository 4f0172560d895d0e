import { ListwatchError } from '../../kernel/failure/errors.ts';
import { fileError } from '../../kernel/failure/file-error.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { CollectionMask } from '../../meta/masking/object-mask.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { FileWriter, WritableFile } from '../files/private-file.ts';
import {
  FRAME_HEAD_BYTES,
  frameBytes,
  jsonFrame,
  RecordKind,
  writeFrame,
  CHANGE_HEAD_BYTES,
  type RecordFrame,
} from '../format/record-frame.ts';
import { bodyOfObject, type RecordPlace, type RecordSink } from './record-sink.ts';
import {
  ChangeRecords,
  MOST_CHANGED_BYTES,
  type ChangeHead,
} from '../delta-encoding/change-records.ts';

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

export interface RecordingFileOptions {
  readonly path: string;
  readonly files: FileWriter;
  readonly runtime: Runtime;
  readonly head: Buffer;
  readonly maxBytes: number;
  readonly flushMs: number;
  /** For the objects that changes are written as differences to; 0 for none. */
  readonly baseBytes: number;
  /** It has ended before it was closed. */
  readonly onFailure: (error: unknown) => void;
  /** The present time of the recording. */
  readonly now: () => number;
}

/** A quarter of it takes a third more processor time for each byte that is written. */
const CHUNK_BYTES = 1024 * 1024;
/** Bytes that wait for the disk, at most. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
/** Chunks that are kept to be filled again. */
const MOST_SPARE = 4;
/** The size of the last record. */
const END_BYTES = 256;

/**
 * A file that grows record by record. `put` copies a record and returns; a chunk is written when it is full, or after `flushMs`.
 *
 * Guarantees: it never makes its caller wait, and never throws to it. At its bound, when the disk is full, or when the disk is too slow,
 * the recording ends, and `onFailure` says so; what was written stays readable.
 */
export class RecordingFile implements RecordSink {
  readonly #options: RecordingFileOptions;
  #file: WritableFile | undefined;
  #chunk: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  readonly #spare: Buffer[] = [];
  #used = 0;
  #waiting = 0;
  /** Undefined when no more changes come, so that its memory is free. */
  #objects: WrittenObjects | undefined;
  /** In the file, once what waits is written. */
  #bytes = 0;
  #records = 0;
  #ended = false;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecordingFileOptions) {
    this.#options = options;
    const { baseBytes, runtime } = options;
    this.#objects =
      baseBytes === 0 ? undefined : new WrittenObjects(baseBytes, () => runtime.random());
  }

  get bytes(): number {
    return this.#bytes;
  }

  get records(): number {
    return this.#records;
  }

  /** Whether it takes no more records. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @throws {ListwatchError} code RECORDING_FILE when the file cannot be made, or exists. */
  async open(): Promise<void> {
    const { path, files, head } = this.#options;
    try {
      this.#file = await files.create(path);
      await this.#file.write(head);
      this.#bytes = head.length;
    } catch (error) {
      throw fileError('RECORDING_FILE', `the recording ${path} cannot be made`, error);
    }
  }

  put(frame: RecordFrame): void {
    const size = FRAME_HEAD_BYTES + frame.body.length;
    if (this.#ended || !this.#hasRoom(size)) return;
    this.#records += 1;
    this.#append(frame, size);
  }

  expect(events: readonly WatchEvent<ObjectView>[]): void {
    this.#objects?.expect(events);
  }

  putObject(
    place: RecordPlace,
    kind: number,
    flags: number,
    object: ObjectView,
    mask: CollectionMask,
  ): void {
    if (this.#ended) return;
    const { request, atMs } = place;
    const body = bodyOfObject(object, mask);
    const { uid } = identityOf(object);
    const isEvent = kind === RecordKind.event;
    if (isEvent && uid !== undefined && this.#putChange(place, flags, uid, body)) return;
    const offset = this.#bytes;
    this.put({ kind, flags, request, atMs, body });
    if (uid !== undefined) this.#objects?.keep(uid, body, offset);
  }

  /** Writes what waits and the last record. Calling again has no effect. */
  async close(): Promise<void> {
    if (!this.#ended) this.#end('closed');
    await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    try {
      await file.sync();
    } catch (error) {
      this.#failed(error);
    }
    await file.close().catch(() => {});
  }

  /** Nothing is recorded: removes the file. */
  async discard(): Promise<void> {
    this.#ended = true;
    await this.close();
    await this.#options.files.remove(this.#options.path);
  }

  /** Returns once all records so far are in the file. */
  async flush(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  /** Ends the recording if it has not. */
  #hasRoom(size: number): boolean {
    const { maxBytes, path } = this.#options;
    if (this.#bytes + size + END_BYTES > maxBytes) {
      this.#endWith('full', `it has reached its bound of ${maxBytes} bytes; raise maxBytes`);
      return false;
    }
    if (this.#waiting + this.#used + size > MOST_WAITING_BYTES) {
      this.#endWith('slow', `the disk of ${path} is too slow: ${this.#waiting} bytes wait for it`);
      return false;
    }
    return true;
  }

  /** False if the object has to be written whole. */
  #putChange({ request, atMs }: RecordPlace, flags: number, uid: string, body: Buffer): boolean {
    const objects = this.#objects;
    if (objects === undefined) return false;
    if (this.#used + mostChangeBytes(body.length) > CHUNK_BYTES) this.#flush();
    const start = this.#used;
    const head = { kind: RecordKind.change, flags, request, atMs };
    const end = objects.writeChange(uid, body, head, this.#chunk, start);
    if (end === undefined) return false;
    if (!this.#hasRoom(end - start)) return true;
    this.#records += 1;
    this.#bytes += end - start;
    this.#used = end;
    this.#flushLater();
    return true;
  }

  #append(frame: RecordFrame, size: number): void {
    this.#bytes += size;
    if (size > CHUNK_BYTES) {
      this.#flush();
      this.#write(frameBytes(frame));
      return;
    }
    if (this.#used + size > CHUNK_BYTES) this.#flush();
    this.#used = writeFrame(this.#chunk, this.#used, frame);
    this.#flushLater();
  }

  #flushLater(): void {
    const { runtime, flushMs } = this.#options;
    this.#timer ??= runtime.setTimer(flushMs, () => this.#flush(), { background: true });
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#used === 0) return;
    const full = this.#chunk.subarray(0, this.#used);
    // New memory costs more than the copy into it.
    this.#chunk = this.#spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#used = 0;
    this.#write(full);
  }

  /** Writes come one after the other. */
  #write(bytes: Buffer): void {
    this.#waiting += bytes.length;
    this.#writing = this.#writeAfter(this.#writing, bytes);
  }

  async #writeAfter(earlier: Promise<void>, bytes: Buffer): Promise<void> {
    await earlier;
    try {
      await this.#file?.write(bytes);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#waiting -= bytes.length;
      const { buffer } = bytes;
      const spare = this.#spare;
      if (buffer.byteLength === CHUNK_BYTES && spare.length < MOST_SPARE)
        spare.push(Buffer.from(buffer));
    }
  }

  #failed(error: unknown): void {
    const { path, onFailure } = this.#options;
    const file = this.#file;
    if (file === undefined) return;
    this.#ended = true;
    this.#objects = undefined;
    this.#file = undefined;
    this.#timer?.cancel();
    this.#used = 0;
    this.#writing = closed(file);
    onFailure(fileError('RECORDING_FILE', `the recording ${path} ended`, error));
  }

  #endWith(reason: string, problem: string): void {
    this.#end(reason);
    const { path, onFailure } = this.#options;
    onFailure(new ListwatchError('RECORDING_FULL', `the recording ${path} ended: ${problem}`));
  }

  #end(reason: string): void {
    this.#ended = true;
    this.#objects = undefined;
    const value = { reason, records: this.#records };
    const frame = jsonFrame(RecordKind.end, value, { atMs: this.#options.now() });
    this.#append(frame, FRAME_HEAD_BYTES + frame.body.length);
    this.#flush();
  }
}

/** The failed write is reported; that the file cannot be closed either is not. */
async function closed(file: WritableFile): Promise<void> {
  await file.close().catch(() => {});
}
