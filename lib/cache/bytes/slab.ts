import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectIdentity } from '../../meta/object-view.ts';
import type { ByteSource, JsonView, ViewCodec } from '../../meta/json/json-view.ts';

export type KeptView = JsonView<KubernetesObject>;

/*
 * A record is what is known of one view without reading its body, and then the body, at which the view starts:
 *
 *   uid | resourceVersion | length of the uid (1) | length of the resource version (1) | read (1) | place (4) | length of the
 *   body (4) | body
 */
const HEAD_BYTES = 11;
const BODY_LENGTH = 4;
const PLACE = 8;
const READ = 9;
const VERSION_LENGTH = 10;
const UID_LENGTH = 11;
/** For an identity that lacks one, or has one that is too long; the view itself remembers it then. */
const ELSEWHERE = 255;

/** Whether the record of a view tells its uid and resource version; otherwise only the view itself does. */
export function isRecordable({ uid, resourceVersion }: ObjectIdentity): boolean {
  return isShort(uid) && isShort(resourceVersion);
}

/** Bytes that the record of a view will take. */
export function newRecordBytes(view: ObjectIdentity, bodyLength: number): number {
  const { uid, resourceVersion } = view;
  const texts = isShort(uid) && isShort(resourceVersion) ? uid.length + resourceVersion.length : 0;
  return HEAD_BYTES + texts + bodyLength;
}

function isShort(text: string | undefined): text is string {
  return text !== undefined && text.length < ELSEWHERE;
}

export function recordedUid({ source: { bytes }, start }: KeptView): string | undefined {
  const length = bytes[start - UID_LENGTH] as number;
  if (length === ELSEWHERE) return undefined;
  const end = start - HEAD_BYTES - (bytes[start - VERSION_LENGTH] as number);
  return bytes.toString('latin1', end - length, end);
}

export function recordedVersion({ source: { bytes }, start }: KeptView): string | undefined {
  const length = bytes[start - VERSION_LENGTH] as number;
  if (length === ELSEWHERE) return undefined;
  return bytes.toString('latin1', start - HEAD_BYTES - length, start - HEAD_BYTES);
}

export function bodyLength({ source: { bytes }, start }: KeptView): number {
  return bytes.readUInt32LE(start - BODY_LENGTH);
}

/** The body of a record, which is JSON or what it was made into. */
export function recordedBody(view: KeptView): Buffer {
  return view.source.bytes.subarray(view.start, view.start + bodyLength(view));
}

/** Notes that the object was read, and tells whether it had been before. */
export function noteRead({ source: { bytes }, start }: KeptView): boolean {
  const before = bytes[start - READ] === 1;
  if (!before) bytes[start - READ] = 1;
  return before;
}

/** Bytes that the record of a view takes. */
export function recordBytes(view: KeptView): number {
  const { source, start } = view;
  const { bytes } = source;
  const uid = bytes[start - UID_LENGTH] as number;
  const version = bytes[start - VERSION_LENGTH] as number;
  const texts = (uid === ELSEWHERE ? 0 : uid) + (version === ELSEWHERE ? 0 : version);
  return HEAD_BYTES + texts + bodyLength(view);
}

/**
 * A piece of memory with the records of views, written one behind the other.
 *
 * Guarantees: what is written stays as it is, so that a view that was released can be read for as long as somebody has it.
 */
export class Slab implements ByteSource {
  readonly bytes: Buffer;
  readonly codec: ViewCodec;
  /** Where views lie that were released: the same bytes. */
  readonly released: ByteSource;
  /** By place; those that were released are gone. */
  readonly #views: (KeptView | undefined)[] = [];
  #used = 0;
  #liveBytes = 0;
  #wasReleased = false;

  /** `bytes` are its own from now on. */
  constructor(bytes: Buffer, codec: ViewCodec, releasedCodec: ViewCodec) {
    this.bytes = bytes;
    this.codec = codec;
    this.released = { bytes: this.bytes, codec: releasedCodec };
  }

  get size(): number {
    return this.bytes.length;
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  get room(): number {
    return this.bytes.length - this.#used;
  }

  /** No view lies here, not even one that was released: the bytes can be used again. */
  get isFree(): boolean {
    return this.#liveBytes === 0 && !this.#wasReleased;
  }

  /** The views that lie here. */
  *views(): IterableIterator<KeptView> {
    for (const view of this.#views) if (view !== undefined) yield view;
  }

  /** Writes the record of a view behind the others, for which there is room, and lets the view lie there. Returns its size. */
  append(view: KeptView, body: Uint8Array): number {
    const { uid, resourceVersion } = view;
    const size = newRecordBytes({ uid, resourceVersion }, body.length);
    const start = this.#used + size - body.length;
    if (isShort(uid) && isShort(resourceVersion)) {
      this.bytes.write(uid + resourceVersion, this.#used, 'latin1');
      this.#writeHead(start, uid.length, resourceVersion.length);
    } else {
      this.#writeHead(start, ELSEWHERE, ELSEWHERE);
    }
    this.bytes.writeUInt32LE(body.length, start - BODY_LENGTH);
    this.bytes.set(body, start);
    this.#lie(view, start, size);
    return size;
  }

  /** Copies the record of a view that lies here to another slab that has room for it, and lets the view lie there. */
  move(view: KeptView, slab: Slab): void {
    const size = recordBytes(view);
    const end = view.start + bodyLength(view);
    this.bytes.copy(slab.bytes, slab.#used, end - size, end);
    slab.#lie(view, slab.#used + size - (end - view.start), size);
  }

  /** Lets a view go on lying here without being counted. Returns the size of its record. */
  release(view: KeptView): number {
    this.#wasReleased = true;
    const size = this.take(view);
    view.moveTo(this.released, view.start);
    return size;
  }

  /** No longer counts a view that is about to lie elsewhere. Returns the size of its record. */
  take(view: KeptView): number {
    const size = recordBytes(view);
    this.#views[this.bytes.readUInt32LE(view.start - PLACE)] = undefined;
    this.#liveBytes -= size;
    return size;
  }

  #writeHead(start: number, uidLength: number, versionLength: number): void {
    const { bytes } = this;
    bytes[start - UID_LENGTH] = uidLength;
    bytes[start - VERSION_LENGTH] = versionLength;
    bytes[start - READ] = 0;
  }

  #lie(view: KeptView, start: number, size: number): void {
    this.bytes.writeUInt32LE(this.#views.length, start - PLACE);
    this.#views.push(view);
    this.#used += size;
    this.#liveBytes += size;
    view.moveTo(this, start);
  }
}
