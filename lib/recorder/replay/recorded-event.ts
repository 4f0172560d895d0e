import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { EVENT_FLAGS } from '../capture/recorded-source.ts';
import { viewOf } from '../format/file-object.ts';
import { LAST_OF_BATCH, RecordKind, type RecordFrame } from '../format/record-frame.ts';

const EVENT_TYPES = { 1: 'ADDED', 2: 'MODIFIED', 3: 'DELETED' } as const;

/** The event of a record of the kind `event` or `bookmark`. */
export function recordedEvent<T extends KubernetesObject>({
  kind,
  flags,
  body,
}: RecordFrame): WatchEvent<ObjectView<T>> {
  if (kind === RecordKind.bookmark) {
    const bookmark = JSON.parse(body.toString('utf8')) as object;
    return { type: 'BOOKMARK', ...bookmark } as WatchEvent<ObjectView<T>>;
  }
  const number = (flags & ~LAST_OF_BATCH) as (typeof EVENT_FLAGS)[keyof typeof EVENT_FLAGS];
  return { type: EVENT_TYPES[number], object: viewOf<T>(body) };
}
