import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';

/** The place of the bookmark that ends the initial state of a streaming list; −1 while it is still to come. */
export function initialEventsEnd(batch: readonly WatchEvent<HasMetadata>[]): number {
  return batch.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
}
