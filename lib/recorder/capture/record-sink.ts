import { objectJson } from '../../cache/memory/views/object-json.ts';
import type { CollectionMask } from '../../meta/masking/object-mask.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { RecordFrame } from '../format/record-frame.ts';

/** The place of a record: its request, and when it came. */
export type RecordPlace = Pick<RecordFrame, 'request' | 'atMs'>;

/** Takes records, at once. */
export interface RecordSink {
  put(frame: RecordFrame): void;
  /** The objects of these events come next. */
  expect?(events: readonly WatchEvent<ObjectView>[]): void;
  /** A record of an object that has just arrived, of the collection of the mask. */
  putObject(
    place: RecordPlace,
    kind: number,
    flags: number,
    object: ObjectView,
    mask: CollectionMask,
  ): void;
}

const NOTHING: Buffer = Buffer.from('null');

/** The body of a record of an object. A source may send null in place of an object. */
export function bodyOfObject(object: ObjectView, mask: CollectionMask): Buffer {
  try {
    return mask.apply(objectJson(object));
  } catch {
    return NOTHING;
  }
}
