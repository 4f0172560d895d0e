import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { crc32 } from 'node:zlib';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/**
 * The outer format of a snapshot: a magic number of eight letters, the format version, and frames; the last one has the kind
 * `end`. Integers are little-endian. A frame is its kind (1 byte), the length of its payload (4), the CRC-32 of its payload (4),
 * the CRC-32 of the nine bytes before (4), and the payload. A damaged length is therefore found before it is used.
 */
export const MAGIC = 'LWKVSNAP';
export const FORMAT_VERSION = 1;
const PREAMBLE_BYTES = MAGIC.length + 4;
const FRAME_HEAD_BYTES = 13;
/** Maximum length of a frame. Only a single record that is longer makes a longer frame. */
export const FRAME_BYTES: number = 256 * 1024;

export const FRAME = { head: 1, leases: 2, keyValues: 3, events: 4, end: 5 } as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export function preamble(): Uint8Array {
  const bytes = Buffer.alloc(PREAMBLE_BYTES);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt32LE(FORMAT_VERSION, MAGIC.length);
  return bytes;
}

/** Writes records one after the other into a frame. */
export class FrameWriter {
  readonly #kind: FrameKind;
  #bytes: Buffer = Buffer.allocUnsafeSlow(FRAME_BYTES);
  #length = FRAME_HEAD_BYTES;

  constructor(kind: FrameKind) {
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#length === FRAME_HEAD_BYTES;
  }

  /** Whether a record of `size` bytes fits into this frame. */
  hasRoom(size: number): boolean {
    return this.isEmpty || this.#length + size <= FRAME_BYTES;
  }

  /** Reserves space for a record, which the caller writes at `offset` of `bytes`. */
  add(size: number): { readonly bytes: Buffer; readonly offset: number } {
    const offset = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafeSlow(this.#length);
      this.#bytes.copy(larger, 0, 0, offset);
      this.#bytes = larger;
    }
    return { bytes: this.#bytes, offset };
  }

  /** Completes and returns the frame; the writer must not be used any more. */
  finish(): Uint8Array {
    const frame = this.#bytes.subarray(0, this.#length);
    frame.writeUInt8(this.#kind, 0);
    frame.writeUInt32LE(this.#length - FRAME_HEAD_BYTES, 1);
    frame.writeUInt32LE(crc32(frame.subarray(FRAME_HEAD_BYTES)), 5);
    frame.writeUInt32LE(crc32(frame.subarray(0, 9)), 9);
    return frame;
  }
}

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** Reads the frames of a snapshot from chunks of any size, and verifies every checksum before it uses the bytes. */
export class FrameReader {
  readonly #name: string;
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  #position = 0;
  #frames = 0;

  /** `name` names the snapshot in errors. */
  constructor(name: string, source: AsyncIterable<Uint8Array>) {
    this.#name = name;
    this.#source = source[Symbol.asyncIterator]();
  }

  /** @throws {ListwatchError} SNAPSHOT_INVALID. */
  async readPreamble(): Promise<void> {
    const bytes = await this.#take(PREAMBLE_BYTES);
    if (bytes?.toString('latin1', 0, MAGIC.length) !== MAGIC) {
      throw this.#invalid('this is not a snapshot: it does not begin with the magic number', 0);
    }
    const version = bytes.readUInt32LE(MAGIC.length);
    if (version !== FORMAT_VERSION) {
      throw this.#invalid(
        `it has format version ${version}; this package reads version ${FORMAT_VERSION}`,
        MAGIC.length,
      );
    }
  }

  /** The next frame. @throws {ListwatchError} SNAPSHOT_INVALID. */
  async next(): Promise<Frame> {
    const start = this.#position;
    const which = `frame ${this.#frames}`;
    const head = await this.#take(FRAME_HEAD_BYTES);
    if (head === undefined) throw this.#cutOff(`within the head of ${which}`, start);
    if (crc32(head.subarray(0, 9)) !== head.readUInt32LE(9)) {
      throw this.#invalid(`the head of ${which} is damaged: its checksum differs`, start);
    }
    const kind = head.readUInt8(0);
    const length = head.readUInt32LE(1);
    const sum = head.readUInt32LE(5);
    const payload = await this.#take(length);
    if (payload === undefined) throw this.#cutOff(`within ${which}`, start);
    if (crc32(payload) !== sum) {
      throw this.#invalid(`${which} is damaged: its checksum differs`, start);
    }
    this.#frames += 1;
    return { kind, payload };
  }

  /** Checks that no bytes follow. @throws {ListwatchError} SNAPSHOT_INVALID. */
  async finish(): Promise<void> {
    const start = this.#position;
    if ((await this.#take(1)) !== undefined) {
      throw this.#invalid('there are bytes after the end', start);
    }
  }

  /** Closes the source, also before its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** An error about the content of the frame that was read last. */
  malformed(what: string): ListwatchError {
    return this.#invalid(`frame ${this.#frames - 1}: ${what}`, this.#position);
  }

  #cutOff(where: string, start: number): ListwatchError {
    const end = this.#position + this.#chunk.byteLength;
    return this.#invalid(`it is cut off ${where}, after ${end} bytes`, start);
  }

  #invalid(what: string, offset: number): ListwatchError {
    return new ListwatchError('SNAPSHOT_INVALID', `${this.#name}: ${what} (at byte ${offset})`);
  }

  /** The next `size` bytes; undefined when there are fewer. */
  async #take(size: number): Promise<Buffer | undefined> {
    if (this.#chunk.byteLength < size && !(await this.#fill(size))) return undefined;
    const bytes = this.#chunk.subarray(0, size);
    this.#chunk = this.#chunk.subarray(size);
    this.#position += size;
    return bytes;
  }

  async #fill(size: number): Promise<boolean> {
    const pieces = [this.#chunk];
    let length = this.#chunk.byteLength;
    while (length < size) {
      const { done, value } = await this.#source.next();
      if (done === true) break;
      pieces.push(asBuffer(value));
      length += value.byteLength;
    }
    this.#chunk = pieces.length === 1 ? this.#chunk : Buffer.concat(pieces, length);
    return length >= size;
  }
}
