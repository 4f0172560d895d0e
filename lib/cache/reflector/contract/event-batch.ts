import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import type { ChangeSink } from './reflector-sink.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';

/** Passes a batch to the sink, in order. A batch without a bookmark is passed without a copy. */
export function applyBatch<V extends HasMetadata>(
  sink: ChangeSink<V>,
  batch: readonly WatchEvent<V>[],
): void {
  let next = 0;
  for (let index = 0; index < batch.length; index += 1) {
    const event = batch[index] as WatchEvent<V>;
    if (event.type !== 'BOOKMARK') continue;
    if (index > next) sink.apply(batch.slice(next, index) as ObjectEvent<V>[]);
    if (event.resourceVersion !== '') sink.bookmark(event.resourceVersion);
    next = index + 1;
  }
  if (next === batch.length) return;
  sink.apply((next === 0 ? batch : batch.slice(next)) as readonly ObjectEvent<V>[]);
}

/** The index of the bookmark that ends the initial state of a streaming list; −1 if it is not in the batch. */
export function initialEventsEnd(batch: readonly WatchEvent<HasMetadata>[]): number {
  return batch.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
}

/** The error of a source that a user has written. */
export function malformedBookmark(name: string): ListwatchError {
  return new ListwatchError(
    'MALFORMED_EVENT',
    `the source of ${name} sent a bookmark without a resourceVersion: each BOOKMARK event has to be { type, resourceVersion, initialEventsEnd }`,
  );
}
