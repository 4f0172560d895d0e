import { crc32 } from 'node:zlib';

/** The kind of content of a record; see `docs/recording-format.md`. The numbers are part of the format. */
export const RecordKind = {
  header: 1,
  listAsked: 2,
  item: 3,
  pageEnd: 4,
  listFailed: 5,
  watchAsked: 6,
  watchAccepted: 7,
  event: 8,
  bookmark: 9,
  watchEnded: 10,
  watchFailed: 11,
  watchLeft: 12,
  end: 13,
  /** Of formats 2 and 4. */
  reader: 14,
  /** Of formats 3 and 4: an event whose object is the difference to that of an earlier one. Who reads frames gets it as an event. */
  change: 15,
} as const;

export type RecordKindNumber = (typeof RecordKind)[keyof typeof RecordKind];

export function isEndOfWatch(kind: number): boolean {
  return (
    kind === RecordKind.watchEnded ||
    kind === RecordKind.watchFailed ||
    kind === RecordKind.watchLeft
  );
}

/** The last event of a batch, and the last item of a piece. */
export const LAST_OF_BATCH = 0x80;

/** One record. */
export interface RecordFrame {
  readonly kind: number;
  readonly flags: number;
  /** The request to which it belongs; 0 for none. */
  readonly request: number;
  /** Since the start of the recording. */
  readonly atMs: number;
  readonly body: Buffer;
}

/** Length of the body, checksum, kind, flags, two spare bytes, request, time. */
export const FRAME_HEAD_BYTES = 24;
export const CHECKED_FROM = 8;
/** Of the body of a change, before its steps: where the record of the earlier event begins in the file, and the length of the object. */
export const CHANGE_HEAD_BYTES = 8;
const EMPTY: Buffer = Buffer.alloc(0);

/** Writes a record at `start`, where there is room for it, and returns its end. */
export function writeFrame(
  target: Buffer,
  start: number,
  { kind, flags, request, atMs, body }: RecordFrame,
): number {
  const end = start + FRAME_HEAD_BYTES + body.length;
  body.copy(target, start + FRAME_HEAD_BYTES);
  target.writeUInt32LE(body.length, start);
  target.writeUInt32LE((kind & 0xff) | ((flags & 0xff) << 8), start + CHECKED_FROM);
  target.writeUInt32LE(request, start + 12);
  target.writeDoubleLE(atMs, start + 16);
  target.writeUInt32LE(crc32(target.subarray(start + CHECKED_FROM, end)), start + 4);
  return end;
}

/** A record as bytes of its own. */
export function frameBytes(frame: RecordFrame): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + frame.body.length);
  writeFrame(bytes, 0, frame);
  return bytes;
}

export function jsonFrame(
  kind: RecordKindNumber,
  value: unknown,
  place: { readonly request?: number; readonly atMs?: number; readonly flags?: number } = {},
): RecordFrame {
  const body = value === undefined ? EMPTY : Buffer.from(JSON.stringify(value));
  return {
    kind,
    flags: place.flags ?? 0,
    request: place.request ?? 0,
    atMs: place.atMs ?? 0,
    body,
  };
}
