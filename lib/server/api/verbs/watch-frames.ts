import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { StoredObject } from '../../storage/stored-object.ts';

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

/** Bytes of frames in one generation; two generations are kept. */
const GENERATION_BYTES = 4 * 1024 * 1024;

/**
 * The events of watches as they stand on the wire, shared: one event goes to all its watchers as the same bytes.
 *
 * Watchers of one event read it at nearly the same time, so what is old is dropped: at most about 8 MiB are held, plus two
 * frames.
 */
export class WatchFrames {
  #young = new Map<StoredObject, Frame>();
  #old = new Map<StoredObject, Frame>();
  #youngBytes = 0;

  /** `{"type":…,"object":…}` and a newline. */
  frame(type: EventType, stored: StoredObject): Uint8Array {
    const known = this.#young.get(stored) ?? this.#old.get(stored);
    if (known?.type === type) return known.bytes;
    const bytes = encodeFrame(type, stored.bytes);
    if (this.#youngBytes >= GENERATION_BYTES) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(stored, { type, bytes });
    this.#youngBytes += bytes.length;
    return bytes;
  }
}

/** One event line around the JSON of an object. */
export function encodeFrame(type: EventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([HEADS[type], object, TAIL]);
}
