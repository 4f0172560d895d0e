import { encodeObject } from '../../../../meta/protobuf/object-codec.ts';
import { watchEventPieces } from '../../../../meta/protobuf/watch-event-frame.ts';
import type { ObjectEvent, WatchEvent } from '../../../../meta/watch-event.ts';
import {
  documentPieces,
  encodingOf,
  type StoredObject,
} from '../../../storage/contract/stored-object.ts';
import { PROTOBUF_TYPE } from '../../../http/media/media-type.ts';
import type { Representation } from '../../../http/negotiation.ts';
import { joinChunk } from '../../../http/responses/chunk.ts';
import { WithoutManagedFields } from './without-managed-fields.ts';

type Event = WatchEvent<StoredObject>;
type EventType = ObjectEvent<StoredObject>['type'];

interface Frame {
  readonly type: EventType;
  readonly bytes: Uint8Array;
}

const HEADS: Readonly<Record<EventType, Uint8Array>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const TAIL = Buffer.from('}\n');

/** The bytes of one event. */
type EncodeFrame = (type: EventType, stored: StoredObject) => Uint8Array;

/** Frames that are joined into one piece. */
interface Joined {
  readonly events: readonly ObjectEvent<StoredObject>[];
  readonly bytes: Uint8Array;
}

/** Some events of a batch in encoded form. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Number of events; at least 1. */
  readonly count: number;
}

/**
 * Maximum size of joined frames, so that a burst costs few writes. With 100 watches and 16 writers, pieces of 256 KiB take a quarter less
 * processor time than pieces of 64 KiB.
 */
export const LARGEST_PIECE_BYTES: number = 256 * 1024;
/** Number of joined pieces in the cache. Within one turn of the event loop, most watchers with the same filter have the same events. */
const JOINED_KEPT = 4;

/** Size of the frames in one generation; two generations are kept. */
const GENERATION_BYTES = 4 * 1024 * 1024;

/**
 * The encoded events of watches in one format, shared: all watchers of an event send the same bytes, also for events that are sent together.
 *
 * Watchers of one event read it at nearly the same time, so older frames are dropped: at most about 10 MiB are kept, plus two
 * frames.
 */
export class WatchFrames {
  #young = new Map<StoredObject, Frame>();
  #old = new Map<StoredObject, Frame>();
  #youngBytes = 0;
  /** The latest joined frames, newest first. */
  readonly #joined: Joined[] = [];
  readonly #encode: EncodeFrame;

  constructor(encode: EncodeFrame = jsonFrame) {
    this.#encode = encode;
  }

  frame(type: EventType, stored: StoredObject): Uint8Array {
    const known = this.#young.get(stored) ?? this.#old.get(stored);
    if (known?.type === type) return known.bytes;
    const bytes = this.#encode(type, stored);
    if (this.#youngBytes >= GENERATION_BYTES) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(stored, { type, bytes });
    this.#youngBytes += bytes.length;
    return bytes;
  }

  /** The frames of the events from `from` on, as many as fit into a piece; it ends before a bookmark. */
  piece(batch: readonly Event[], from: number): Piece {
    const end = endOfObjects(batch, from);
    const first = batch[from] as ObjectEvent<StoredObject>;
    if (end === from + 1) return { bytes: this.frame(first.type, first.object), count: 1 };
    for (const known of this.#joined) {
      if (joins(known, batch, from, end)) return { bytes: known.bytes, count: known.events.length };
    }
    return this.#join(batch, from, end);
  }

  #join(batch: readonly Event[], from: number, end: number): Piece {
    const events: ObjectEvent<StoredObject>[] = [];
    const frames: Uint8Array[] = [];
    let size = 0;
    for (let at = from; at < end && size < LARGEST_PIECE_BYTES; at += 1) {
      const event = batch[at] as ObjectEvent<StoredObject>;
      const frame = this.frame(event.type, event.object);
      events.push(event);
      frames.push(frame);
      size += frame.length;
    }
    const bytes = joinChunk(frames);
    if (size < 2 * LARGEST_PIECE_BYTES) {
      this.#joined.unshift({ events, bytes });
      if (this.#joined.length > JOINED_KEPT) this.#joined.pop();
    }
    return { bytes, count: events.length };
  }
}

/** The encoded events of the watches of a server, by the format of the watch. */
export class FormatFrames {
  readonly #json = new WatchFrames(jsonFrame);
  readonly #protobuf = new WatchFrames(protobufFrame);
  readonly #bareJson = new WatchFrames((type, stored) => jsonFrame(type, bare(stored)));
  readonly #bareProtobuf = new WatchFrames((type, stored) => protobufFrame(type, bare(stored)));

  of({
    mediaType,
    dropsManagedFields,
  }: Pick<Representation, 'mediaType' | 'dropsManagedFields'>): WatchFrames {
    if (mediaType === PROTOBUF_TYPE) {
      return dropsManagedFields ? this.#bareProtobuf : this.#protobuf;
    }
    return dropsManagedFields ? this.#bareJson : this.#json;
  }
}

function bare(stored: StoredObject): StoredObject {
  return new WithoutManagedFields(stored);
}

/** `{"type":…,"object":…}` and a newline. */
function jsonFrame(type: EventType, stored: StoredObject): Uint8Array {
  return encodeFrame(type, documentPieces(stored));
}

/** An event with its length, as protobuf. The object has to be of a kind that has protobuf. */
export function protobufFrame(type: EventType, stored: StoredObject): Uint8Array {
  return joinChunk(watchEventPieces(type, encodingOf(stored, encodeObject)));
}

/** One event line around the JSON of an object. */
export function encodeFrame(type: EventType, document: readonly Uint8Array[]): Uint8Array {
  return joinChunk([HEADS[type], ...document, TAIL]);
}

function endOfObjects(batch: readonly Event[], from: number): number {
  let end = from;
  while (end < batch.length && batch[end]?.type !== 'BOOKMARK') end += 1;
  return end;
}

/** Whether the frames are those of the events from `from` on, up to `end` or as many as fit. */
function joins(
  { events, bytes }: Joined,
  batch: readonly Event[],
  from: number,
  end: number,
): boolean {
  const count = end - from;
  if (events.length > count) return false;
  if (events.length < count && bytes.length < LARGEST_PIECE_BYTES) return false;
  return events.every((event, index) => event === batch[from + index]);
}
