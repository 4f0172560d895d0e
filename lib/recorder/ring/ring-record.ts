import { keptViewOf } from '../../cache/memory/views/kept-view.ts';
import { objectJson } from '../../cache/memory/views/object-json.ts';
import type { CollectionMask } from '../../meta/masking/object-mask.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { LAST_OF_BATCH, RecordKind } from '../format/record-frame.ts';
import { EVENT_FLAGS } from '../capture/recorded-source.ts';
import type { NumberedReader } from '../capture/recorded-readers.ts';
import type { RecordPlace } from '../capture/record-sink.ts';
import { RingPiece } from './ring-memory.ts';

/** An object that a relist no longer has. It is kept for its earlier state, and written to no file. */
export const VANISHED = 0;

/** An estimate of the memory of a record and its places, without its body; bytes. */
export const RECORD_BYTES = 200;

/** Bytes that were copied and masked, or an object that keeps its own. */
export type RingBody = RingPiece | ObjectView;

/** A record in memory. */
export class RingRecord {
  readonly place: RecordPlace;
  readonly kind: number;
  readonly flags: number;
  /** Its place among the records of all rings. */
  readonly order: number;
  /** Of a ring of several readers. */
  reader: NumberedReader | undefined = undefined;
  key: string | undefined = undefined;
  resourceVersion: string | undefined = undefined;
  /** The object before the change; undefined if it did not exist. */
  prior: RingBody | undefined = undefined;
  body: RingBody | undefined = undefined;
  /** It is no longer one of the last records. */
  dropped = false;
  /** The next record of the object refers to it. */
  isNewest = false;

  constructor(order: number, place: RecordPlace, kind: number, flags: number) {
    this.order = order;
    this.place = place;
    this.kind = kind;
    this.flags = flags;
  }

  /** Whether its object lies in the bytes of the network, and not in the cache. */
  get isInNetwork(): boolean {
    const { body } = this;
    if (body === undefined || body instanceof RingPiece) return false;
    return keptViewOf(body)?.source.codec === undefined;
  }

  /** The state of the object after it; undefined if it no longer exists. */
  get after(): RingBody | undefined {
    const { kind, flags, body } = this;
    const deleted = kind === RecordKind.event && (flags & ~LAST_OF_BATCH) === EVENT_FLAGS.DELETED;
    return deleted ? undefined : body;
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

/** The bytes to write. */
export function jsonOf(body: RingBody | undefined, mask: CollectionMask): Buffer {
  if (body === undefined) return EMPTY;
  return body instanceof RingPiece ? body.bytes : mask.apply(objectJson(body));
}
