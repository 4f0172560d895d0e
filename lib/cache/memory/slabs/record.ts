import type { ObjectIdentity } from '../../../meta/object-view.ts';
import type { ByteSource, ObjectPlaces, ViewCodec } from '../../../meta/json/json-view.ts';
import type { ManagedFieldsPlace } from '../../../meta/json/lazy-managed-fields.ts';
import { type Readable, DetachedMetadata, detachedNothing, DetachedRecord } from './detached.ts';
import type { KnownValue } from '../../../meta/json/known-values.ts';
import type { KeptView } from '../views/kept-view.ts';
import { writeBytes } from './slab-bytes.ts';

/*
 * A record has the fields of one view that can be read without its body, and then the body, at which the view starts. Its slot
 * may be a little longer:
 *
 *   uid | resourceVersion | start and end of the metadata in the body, of its managed fields, of the longest member (6 x 4) |
 *   length of the slot (4) | length of the uid (1) | length of the resource version (1) | marks (1) | number in the slab (4) |
 *   length of the body (4) | body
 */
const HEAD_BYTES = 39;
const BODY_LENGTH = 4;
const NUMBER = 8;
const MARKS = 9;
const VERSION_LENGTH = 10;
const UID_LENGTH = 11;
const SLOT_LENGTH = 15;
const PLACES = HEAD_BYTES;
const LONGEST = 23;
const NOWHERE = 0xffffffff;
/** The length of a missing or too long uid or resource version; the view itself has it then. */
const ELSEWHERE = 255;

/** Whether the record of a view has its uid and resource version; otherwise only the view itself has them. */
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

/** Where the managed fields are in the body; undefined when there are none. */
export function recordedFields({
  source: { bytes },
  start,
}: KeptView): ManagedFieldsPlace | undefined {
  const places = start - PLACES;
  const managedFieldsStart = bytes.readInt32LE(places + 8);
  if (managedFieldsStart < 0) return undefined;
  const managedFieldsEnd = bytes.readInt32LE(places + 12);
  return { metadataEnd: bytes.readInt32LE(places + 4), managedFieldsStart, managedFieldsEnd };
}

/** The body of a record: JSON. */
export function recordedBody(view: KeptView): Buffer {
  return view.source.bytes.subarray(view.start, view.start + bodyLength(view));
}

const READ = 1;
const LEFT = 2;

/** Marks the object as read, and returns whether it was read before. */
export function noteRead(view: KeptView): boolean {
  return note(view, READ);
}

/** Marks the object as one that has left the cache, and returns whether it was marked before. */
export function noteLeft(view: KeptView): boolean {
  return note(view, LEFT);
}

/** It no longer counts as one that has left. */
export function noteReleased({ source: { bytes }, start }: KeptView): void {
  bytes[start - MARKS] = (bytes[start - MARKS] as number) & ~LEFT;
}

export function hasLeft({ source: { bytes }, start }: KeptView): boolean {
  return ((bytes[start - MARKS] as number) & LEFT) !== 0;
}

function note({ source: { bytes }, start }: KeptView, mark: number): boolean {
  const before = bytes[start - MARKS] as number;
  bytes[start - MARKS] = before | mark;
  return (before & mark) !== 0;
}

/** The number of the view in its slab. */
export function slotNumber({ source: { bytes }, start }: KeptView): number {
  return bytes.readUInt32LE(start - NUMBER);
}

/** The bytes of the slot of a record. */
export function slotBytes({ source: { bytes }, start }: KeptView): number {
  return bytes.readUInt32LE(start - SLOT_LENGTH);
}

/** Bytes of the record itself. */
export function recordBytes(view: KeptView): number {
  return view.start + bodyLength(view) - recordStart(view);
}

/** The start of the record of a view, which is the start of its slot. */
export function recordStart({ source: { bytes }, start }: KeptView): number {
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

/** The longest member of the body of a record, if the record has its place. */
export function recordedLongest({ source: { bytes }, start }: KeptView): KnownValue | undefined {
  const longest = bytes.readInt32LE(start - LONGEST);
  if (longest < 0) return undefined;
  return { bytes, start: start + longest, end: start + bytes.readInt32LE(start - LONGEST + 4) };
}

/** Writes a record without the fields that `noteSlot` writes. Returns the start of the body. */
export function writeRecord(
  bytes: Buffer,
  slotStart: number,
  { uid, resourceVersion }: ObjectIdentity,
  body: Uint8Array,
  places: ObjectPlaces | undefined,
): number {
  let at = slotStart + HEAD_BYTES;
  if (isShort(uid) && isShort(resourceVersion)) {
    at += bytes.write(uid + resourceVersion, slotStart, 'latin1');
    bytes[at - UID_LENGTH] = uid.length;
    bytes[at - VERSION_LENGTH] = resourceVersion.length;
  } else {
    bytes[at - UID_LENGTH] = ELSEWHERE;
    bytes[at - VERSION_LENGTH] = ELSEWHERE;
  }
  bytes[at - MARKS] = 0;
  bytes.writeUInt32LE(body.length, at - BODY_LENGTH);
  writePlaces(bytes, at - PLACES, places);
  writeBytes(bytes, at, body);
  return at;
}

/** Writes the slot size of a record, and its number in the slab. */
export function noteSlot(bytes: Buffer, start: number, size: number, number: number): void {
  bytes.writeUInt32LE(size, start - SLOT_LENGTH);
  bytes.writeUInt32LE(number, start - NUMBER);
}

/** Copies the retained part of a view whose record will be overwritten; `codec` reads whole records. */
export function detached(view: KeptView, readable: Readable, codec: ViewCodec): ByteSource {
  if (readable === 'nothing') return detachedNothing;
  const metadata = readable === 'metadata' ? metadataOf(view) : undefined;
  if (metadata !== undefined) return metadata;
  const end = view.start + bodyLength(view);
  return new DetachedRecord(view.source.bytes.toString('latin1', recordStart(view), end), codec);
}

/** Undefined when the record does not have its place. */
function metadataOf(view: KeptView): DetachedMetadata | undefined {
  const { source, start } = view;
  const { bytes } = source;
  const places = start - PLACES;
  const metadataStart = bytes.readUInt32LE(places);
  if (metadataStart === NOWHERE) return undefined;
  const metadataEnd = start + bytes.readUInt32LE(places + 4);
  const fieldsStart = bytes.readUInt32LE(places + 8);
  const hasFields = fieldsStart !== NOWHERE;
  const from = recordStart(view);
  const uid = bytes[start - UID_LENGTH] as number;
  return new DetachedMetadata({
    text: bytes.toString('latin1', from, hasFields ? start + fieldsStart : metadataEnd),
    uidLength: uid === ELSEWHERE ? undefined : uid,
    versionLength: bytes[start - VERSION_LENGTH] as number,
    metadataStart: start - from + metadataStart,
    rest: hasFields
      ? bytes.toString('latin1', start + bytes.readUInt32LE(places + 12), metadataEnd)
      : '',
  });
}
