import type { ByteSource, ViewCodec } from '../../meta/json/json-view.ts';
import { packedIdentityBytes, packedUid, packedVersion } from './packed-identity.ts';
import type { KeptView } from './record.ts';

/*
 * A record is what is known of one view without inflating it, and then its body, at which the view starts:
 *
 *   packed identity | read (1) | place (2) | length of the body (4) | body
 */
const BODY_LENGTH = 4;
const PLACE = 6;
const READ = 7;
const HEAD_BYTES = 7;

/** Places that two bytes tell apart. */
const MOST_VIEWS = 0x10000;

/** Bytes of a record besides its identity and its body. */
export const RECORD_HEAD_BYTES: number = HEAD_BYTES;

export function deflatedUid({ source: { bytes }, start }: KeptView): string | undefined {
  return packedUid(bytes, start - HEAD_BYTES);
}

export function deflatedVersion({ source: { bytes }, start }: KeptView): string | undefined {
  return packedVersion(bytes, start - HEAD_BYTES);
}

/** What was made of the JSON of a view. */
export function deflatedBody({ source: { bytes }, start }: KeptView): Buffer {
  return bytes.subarray(start, start + bodyLength(bytes, start));
}

/** Notes that the object was read, and tells whether it had been before. */
export function noteDeflatedRead({ source: { bytes }, start }: KeptView): boolean {
  const before = bytes[start - READ] === 1;
  bytes[start - READ] = 1;
  return before;
}

/**
 * A piece of memory with the records of compressed views, written one behind the other.
 *
 * Guarantees: what is written stays as it is, so that a view that was released can be read for as long as somebody has it.
 */
export class DeflatedSlab implements ByteSource {
  readonly bytes: Buffer;
  readonly codec: ViewCodec;
  /** Where views lie that were released: the same bytes. */
  readonly released: ByteSource;
  /** By place; those that were released are gone. */
  #views: (KeptView | undefined)[] = [];
  #used = 0;
  #liveBytes = 0;

  constructor(size: number, codec: ViewCodec, releasedCodec: ViewCodec) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.codec = codec;
    this.released = { bytes: this.bytes, codec: releasedCodec };
  }

  get size(): number {
    return this.bytes.length;
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Where the next record begins. */
  get used(): number {
    return this.#used;
  }

  /** Bytes for more records; none when there are as many as can be told apart. */
  get room(): number {
    return this.#views.length === MOST_VIEWS ? 0 : this.bytes.length - this.#used;
  }

  /** The views that lie here. */
  *views(): IterableIterator<KeptView> {
    for (const view of this.#views) if (view !== undefined) yield view;
  }

  /** Nothing more is going to be written. */
  seal(): void {
    // An array that has grown has room for more.
    this.#views = this.#views.slice();
  }

  /**
   * Makes a record of a body that lies behind the others already, with room before it for everything else, and lets the view
   * lie there. Returns its size.
   */
  append(view: KeptView, identity: Uint8Array, bodyLength: number): number {
    const start = this.#used + identity.length + HEAD_BYTES;
    this.bytes.set(identity, this.#used);
    this.bytes[start - READ] = 0;
    this.bytes.writeUInt32LE(bodyLength, start - BODY_LENGTH);
    return this.#lie(view, start);
  }

  /** Copies the record of a view that lies here to another slab that has room for it, and lets the view lie there. */
  move(view: KeptView, slab: DeflatedSlab): void {
    const { start } = view;
    const end = start + bodyLength(this.bytes, start);
    const from = end - this.recordBytes(view);
    this.bytes.copy(slab.bytes, slab.#used, from, end);
    slab.#lie(view, slab.#used + start - from);
  }

  /** Lets a view go on lying here without being counted. Returns the size of its record. */
  release(view: KeptView): number {
    const size = this.recordBytes(view);
    this.#views[this.bytes.readUInt16LE(view.start - PLACE)] = undefined;
    this.#liveBytes -= size;
    view.moveTo(this.released, view.start);
    return size;
  }

  /** Bytes that the record of a view takes that lies here. */
  recordBytes({ start }: KeptView): number {
    const identity = packedIdentityBytes(this.bytes, start - HEAD_BYTES);
    return identity + HEAD_BYTES + bodyLength(this.bytes, start);
  }

  #lie(view: KeptView, start: number): number {
    this.bytes.writeUInt16LE(this.#views.length, start - PLACE);
    this.#views.push(view);
    view.moveTo(this, start);
    const size = this.recordBytes(view);
    this.#used += size;
    this.#liveBytes += size;
    return size;
  }
}

function bodyLength(bytes: Buffer, start: number): number {
  return bytes.readUInt32LE(start - BODY_LENGTH);
}
