import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';

/** The index of the bookmark that ends the initial state of a streaming list; −1 if it is not in the batch. */
export function initialEventsEnd(batch: readonly WatchEvent<HasMetadata>[]): number {
  return batch.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
}
