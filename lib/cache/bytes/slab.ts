import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectIdentity } from '../../meta/object-view.ts';
import type { ByteSource, JsonView, ObjectPlaces, ViewCodec } from '../../meta/json/json-view.ts';
import type { Readable } from './demand.ts';
import type { KnownValue } from '../../meta/known-value.ts';
import { DetachedMetadata, detachedNothing, DetachedRecord } from './detached.ts';

export type KeptView = JsonView<KubernetesObject>;

/*
 * A record is what is known of one view without reading its body, and then the body, at which the view starts. It lies in a
 * slot, which may be a little longer:
 *
 *   uid | resourceVersion | start and end of the metadata in the body, of its managed fields, of the longest member (6 x 4) |
 *   length of the slot (4) | length of the uid (1) | length of the resource version (1) | read (1) | number in the slab (4) |
 *   length of the body (4) | body
 */
const HEAD_BYTES = 39;
const BODY_LENGTH = 4;
const NUMBER = 8;
const READ = 9;
const VERSION_LENGTH = 10;
const UID_LENGTH = 11;
const SLOT_LENGTH = 15;
const PLACES = HEAD_BYTES;
const LONGEST = 23;
const NOWHERE = 0xffffffff;
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

/** Bytes of the slot in which the record of a view lies. */
export function slotBytes({ source: { bytes }, start }: KeptView): number {
  return bytes.readUInt32LE(start - SLOT_LENGTH);
}

/** Bytes of the record itself. */
export function recordBytes(view: KeptView): number {
  return view.start + bodyLength(view) - recordStart(view);
}

/** Where the record of a view starts, and so does its slot. */
function recordStart({ source: { bytes }, start }: KeptView): number {
  const uid = bytes[start - UID_LENGTH] as number;
  const version = bytes[start - VERSION_LENGTH] as number;
  const texts = (uid === ELSEWHERE ? 0 : uid) + (version === ELSEWHERE ? 0 : version);
  return start - HEAD_BYTES - texts;
}

function writePlaces(bytes: Buffer, at: number, places: ObjectPlaces | undefined): void {
  bytes.writeInt32LE(places?.metadataStart ?? -1, at);
  bytes.writeInt32LE(places?.metadataEnd ?? -1, at + 4);
  bytes.writeInt32LE(places?.managedFieldsStart ?? -1, at + 8);
  bytes.writeInt32LE(places?.managedFieldsEnd ?? -1, at + 12);
  bytes.writeInt32LE(places?.longestStart ?? -1, at + 16);
  bytes.writeInt32LE(places?.longestEnd ?? -1, at + 20);
}

/** The longest member of the body of a record, if the record tells where it is. */
export function recordedLongest({ source: { bytes }, start }: KeptView): KnownValue | undefined {
  const longest = bytes.readInt32LE(start - LONGEST);
  if (longest < 0) return undefined;
  return { bytes, start: start + longest, end: start + bytes.readInt32LE(start - LONGEST + 4) };
}

export interface SlabCodecs {
  /** Reads the views that lie in slabs. */
  readonly codec: ViewCodec;
  /** Reads those that were released. */
  readonly releasedCodec: ViewCodec;
}

/**
 * A piece of memory with the records of views: one behind the other, and where one has left, another one.
 *
 * Guarantees: what is written stays as it is until the view that lies there has left.
 */
export class Slab implements ByteSource {
  /** Names it in its arena. */
  readonly number: number;
  readonly bytes: Buffer;
  readonly codec: ViewCodec;
  /** Where views lie that were released: the same bytes. */
  readonly released: ByteSource & { readonly codec: ViewCodec };
  /** By number; those that have left are gone. */
  readonly #views: (KeptView | undefined)[] = [];
  #used = 0;
  #liveBytes = 0;
  #wasReleased = false;
  /** Slots that were left and may be filled again; for the arena. */
  freeSlots = 0;

  /** `bytes` are its own from now on. */
  constructor(number: number, bytes: Buffer, { codec, releasedCodec }: SlabCodecs) {
    this.number = number;
    this.bytes = bytes;
    this.codec = codec;
    this.released = { bytes: this.bytes, codec: releasedCodec };
  }

  get size(): number {
    return this.bytes.length;
  }

  /** Bytes of the slots in which views lie. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Bytes behind all slots. */
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

  /** Writes the record of a view to a new slot behind the others, for which there is room, and lets the view lie there. */
  append(
    view: KeptView,
    body: Uint8Array,
    place: ObjectPlaces | undefined,
    slotSize: number,
  ): void {
    const slotStart = this.#used;
    this.#used += slotSize;
    this.#write(view, body, place, slotStart);
    const start = slotStart + newRecordBytes(view, body.length) - body.length;
    this.#lie(view, start, slotSize, this.#views.length);
  }

  /** As `append`, in a slot that was left and is long enough. */
  fill(slotStart: number, view: KeptView, body: Uint8Array, place: ObjectPlaces | undefined): void {
    const size = this.bytes.readUInt32LE(slotStart);
    const number = this.bytes.readUInt32LE(slotStart + 4);
    this.#write(view, body, place, slotStart);
    const start = slotStart + newRecordBytes(view, body.length) - body.length;
    this.#lie(view, start, size, number);
  }

  /** Copies the record of a view that lies here to a new slot of a slab that has room for it, and lets the view lie there. */
  move(view: KeptView, slab: Slab, slotSize: number): void {
    const { start } = view;
    const from = recordStart(view);
    this.take(view);
    const at = slab.#used;
    slab.#used += slotSize;
    this.bytes.copy(slab.bytes, at, from, start + bodyLength(view));
    slab.#lie(view, at + start - from, slotSize, slab.#views.length);
  }

  /** Lets a view go on lying here without being counted. Returns the size of its slot. */
  release(view: KeptView): number {
    this.#wasReleased = true;
    const size = this.take(view);
    view.moveTo(this.released, view.start);
    return size;
  }

  /** No longer counts a view that is about to lie elsewhere. Returns the size of its slot. */
  take(view: KeptView): number {
    const size = slotBytes(view);
    this.#views[this.bytes.readUInt32LE(view.start - NUMBER)] = undefined;
    this.#liveBytes -= size;
    return size;
  }

  /** As `take`; nobody is going to read its record there any more. Returns the start of its slot, which can be filled. */
  leave(view: KeptView): number {
    const slotStart = recordStart(view);
    const number = this.bytes.readUInt32LE(view.start - NUMBER);
    const size = this.take(view);
    this.bytes.writeUInt32LE(size, slotStart);
    this.bytes.writeUInt32LE(number, slotStart + 4);
    return slotStart;
  }

  /** As `leave`; what can still be read of the view is a string of its own from now on. */
  detach(view: KeptView, readable: Readable): number {
    const { start } = view;
    const source = this.#detached(view, readable);
    const slotStart = this.leave(view);
    view.moveTo(source, start - slotStart);
    return slotStart;
  }

  #detached(view: KeptView, readable: Readable): ByteSource {
    if (readable === 'nothing') return detachedNothing;
    const metadata = readable === 'metadata' ? this.#metadataOf(view) : undefined;
    return metadata ?? new DetachedRecord(this.#textOf(view), this.released.codec);
  }

  #textOf(view: KeptView): string {
    return this.bytes.toString('latin1', recordStart(view), view.start + bodyLength(view));
  }

  /** Undefined when the record does not tell where in the body it is. */
  #metadataOf(view: KeptView): DetachedMetadata | undefined {
    const { bytes } = this;
    const { start } = view;
    const place = start - PLACES;
    const metadataStart = bytes.readUInt32LE(place);
    if (metadataStart === NOWHERE) return undefined;
    const metadataEnd = start + bytes.readUInt32LE(place + 4);
    const fieldsStart = bytes.readUInt32LE(place + 8);
    const hasFields = fieldsStart !== NOWHERE;
    const from = recordStart(view);
    const uid = bytes[start - UID_LENGTH] as number;
    return new DetachedMetadata({
      text: bytes.toString('latin1', from, hasFields ? start + fieldsStart : metadataEnd),
      uidLength: uid === ELSEWHERE ? undefined : uid,
      versionLength: bytes[start - VERSION_LENGTH] as number,
      metadataStart: start - from + metadataStart,
      rest: hasFields
        ? bytes.toString('latin1', start + bytes.readUInt32LE(place + 12), metadataEnd)
        : '',
    });
  }

  /** All of a record but its slot and its number. */
  #write(
    view: KeptView,
    body: Uint8Array,
    place: ObjectPlaces | undefined,
    slotStart: number,
  ): void {
    const { bytes } = this;
    const { uid, resourceVersion } = view;
    let at = slotStart + HEAD_BYTES;
    if (isShort(uid) && isShort(resourceVersion)) {
      at += bytes.write(uid + resourceVersion, slotStart, 'latin1');
      bytes[at - UID_LENGTH] = uid.length;
      bytes[at - VERSION_LENGTH] = resourceVersion.length;
    } else {
      bytes[at - UID_LENGTH] = ELSEWHERE;
      bytes[at - VERSION_LENGTH] = ELSEWHERE;
    }
    bytes[at - READ] = 0;
    bytes.writeUInt32LE(body.length, at - BODY_LENGTH);
    writePlaces(bytes, at - PLACES, place);
    bytes.set(body, at);
  }

  #lie(view: KeptView, start: number, slotSize: number, number: number): void {
    this.bytes.writeUInt32LE(number, start - NUMBER);
    this.bytes.writeUInt32LE(slotSize, start - SLOT_LENGTH);
    this.#views[number] = view;
    this.#liveBytes += slotSize;
    view.moveTo(this, start);
  }
}
