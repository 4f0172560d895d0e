import { crc32 } from 'node:zlib';
import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { applyDifference, checkDifference } from '../delta-encoding/apply-difference.ts';
import { MOST_CHANGED_BYTES } from '../delta-encoding/change-records.ts';
import {
  CHANGE_HEAD_BYTES,
  CHECKED_FROM,
  FRAME_HEAD_BYTES,
  RecordKind,
  type RecordFrame,
} from './record-frame.ts';

/** A record of a file. Its body is looked up, or made of its difference, on each read. */
export class ReadFrame implements RecordFrame {
  readonly kind: number;
  readonly flags: number;
  readonly request: number;
  readonly atMs: number;
  /** Its place in the file, from 1. */
  readonly number: number;
  readonly #file: Buffer;
  readonly #start: number;

  constructor(file: Buffer, start: number, number: number) {
    this.#file = file;
    this.#start = start;
    this.number = number;
    const kind = file[start + CHECKED_FROM] as number;
    this.kind = kind === RecordKind.change ? RecordKind.event : kind;
    this.flags = file[start + CHECKED_FROM + 1] as number;
    this.request = file.readUInt32LE(start + 12);
    this.atMs = file.readDoubleLE(start + 16);
  }

  get body(): Buffer {
    const [file, start] = [this.#file, this.#start];
    const body = bodyAt(file, start);
    if (file[start + CHECKED_FROM] !== RecordKind.change) return body;
    const base = bodyAt(file, body.readUInt32LE(0));
    return applyDifference(base, body.subarray(CHANGE_HEAD_BYTES), body.readUInt32LE(4));
  }
}

function bodyAt(file: Buffer, start: number): Buffer {
  const from = start + FRAME_HEAD_BYTES;
  return file.subarray(from, from + file.readUInt32LE(start));
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

  /** The next record; undefined at the end. */
  next(): ReadFrame | undefined {
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
    if (bytes[start + CHECKED_FROM] === RecordKind.change) this.#checkChange(start);
    this.#at = end;
    return new ReadFrame(bytes, start, this.#count - 1);
  }

  /** The record of the earlier state lies before it, and has what the steps copy. */
  #checkChange(start: number): void {
    const wrong = (problem: string): ListwatchError =>
      this.error(`record ${this.#count} at byte ${start} is no change: ${problem}`);
    const bytes = this.#bytes;
    const body = bodyAt(bytes, start);
    if (body.length < CHANGE_HEAD_BYTES) throw wrong('it is too short');
    const base = body.readUInt32LE(0);
    const kind = bytes[base + CHECKED_FROM];
    const isObject =
      base + FRAME_HEAD_BYTES <= start &&
      (kind === RecordKind.event || kind === RecordKind.item) &&
      base + FRAME_HEAD_BYTES + bytes.readUInt32LE(base) <= start;
    if (!isObject) throw wrong(`no record with an object comes before it at byte ${base}`);
    const length = body.readUInt32LE(4);
    if (length > MOST_CHANGED_BYTES) {
      throw wrong(`an object of ${length} bytes; at most ${MOST_CHANGED_BYTES} are read`);
    }
    checkDifference(bytes.readUInt32LE(base), body.subarray(CHANGE_HEAD_BYTES), length, wrong);
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
