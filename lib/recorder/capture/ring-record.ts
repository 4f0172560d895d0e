import { bytesOf, type RingPiece } from './ring-memory.ts';
import { EVENT_FLAGS } from './recorded-source.ts';
import {
  FRAME_HEAD_BYTES,
  LAST_OF_BATCH,
  RecordKind,
  type RecordFrame,
} from '../format/record-frame.ts';

/** An object that a relist no longer has. It is kept for its earlier state, and written to no file. */
export const VANISHED = 0;

/** A record in memory. */
export interface RingRecord extends Omit<RecordFrame, 'body'> {
  readonly key: string | undefined;
  readonly resourceVersion: string | undefined;
  /** The next record of the same object. */
  next: RingRecord | undefined;
  /** What the object was before its first record; undefined if it did not exist. */
  prior: RingPiece | undefined;
  /** Where the body lies. */
  readonly piece: RingPiece | undefined;
}

/** What a record takes in memory, about. */
export function sizeOf({ piece, prior }: RingRecord): number {
  return FRAME_HEAD_BYTES + 200 + lengthOf(piece) + lengthOf(prior);
}

function lengthOf(piece: RingPiece | undefined): number {
  return piece === undefined ? 0 : piece.end - piece.start;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** The body of a record. */
export function bodyOf({ piece }: RingRecord): Buffer {
  return piece === undefined ? EMPTY : bytesOf(piece);
}

/** The state of the object after the record; undefined if it no longer exists. */
export function stateAfter({ kind, flags, piece }: RingRecord): RingPiece | undefined {
  const deleted = kind === RecordKind.event && (flags & ~LAST_OF_BATCH) === EVENT_FLAGS.DELETED;
  return deleted || kind === VANISHED ? undefined : piece;
}
