import { crc32 } from 'node:zlib';
import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';

/** What a record holds; see `docs/recording-format.md`. The numbers are part of the format. */
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
  /** Of format 2. */
  reader: 14,
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
const CHECKED_FROM = 8;
const EMPTY: Buffer = Buffer.alloc(0);

/** Writes a record at `start`, where there is room for it, and returns its end. */
export function writeFrame(
  target: Buffer,
  start: number,
  { kind, flags, request, atMs, body }: RecordFrame,
): number {
  const end = start + FRAME_HEAD_BYTES + body.length;
  target.writeUInt32LE(body.length, start);
  target.writeUInt32LE((kind & 0xff) | ((flags & 0xff) << 8), start + CHECKED_FROM);
  target.writeUInt32LE(request, start + 12);
  target.writeDoubleLE(atMs, start + 16);
  body.copy(target, start + FRAME_HEAD_BYTES);
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

/** Finds the records of bytes, one after the other, and checks each. */
export class FrameReader {
  readonly #bytes: Buffer;
  readonly #file: string;
  readonly #code: ErrorCode;
  #at: number;
  #count = 0;

  /** `code`: that of the error for bytes that are no records. */
  constructor(file: string, bytes: Buffer, start: number, code: ErrorCode) {
    this.#file = file;
    this.#bytes = bytes;
    this.#at = start;
    this.#code = code;
  }

  /** Where the next record begins. */
  get offset(): number {
    return this.#at;
  }

  /** The next record; undefined at the end. Its body lies in the bytes of the file. */
  next(): RecordFrame | undefined {
    const bytes = this.#bytes;
    const start = this.#at;
    if (start === bytes.length) return undefined;
    this.#count += 1;
    if (bytes.length - start < FRAME_HEAD_BYTES) throw this.#cut();
    const end = start + FRAME_HEAD_BYTES + bytes.readUInt32LE(start);
    if (end > bytes.length) throw this.#cut();
    const sum = crc32(bytes.subarray(start + CHECKED_FROM, end));
    if (sum !== bytes.readUInt32LE(start + 4)) {
      throw this.error(`record ${this.#count} at byte ${start} is damaged: its checksum is wrong`);
    }
    this.#at = end;
    return {
      kind: bytes[start + CHECKED_FROM] as number,
      flags: bytes[start + CHECKED_FROM + 1] as number,
      request: bytes.readUInt32LE(start + 12),
      atMs: bytes.readDoubleLE(start + 16),
      body: bytes.subarray(start + FRAME_HEAD_BYTES, end),
    };
  }

  /** The JSON of a body. */
  json(frame: RecordFrame): unknown {
    try {
      return JSON.parse(frame.body.toString('utf8')) as unknown;
    } catch {
      throw this.error(`record ${this.#count} is no JSON`);
    }
  }

  error(problem: string): ListwatchError {
    return new ListwatchError(this.#code, `${this.#file}: ${problem}`);
  }

  #cut(): ListwatchError {
    return this.error(`it was cut short within record ${this.#count}, at byte ${this.#at}`);
  }
}
