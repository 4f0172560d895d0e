import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import type { ChangeSink } from './reflector-sink.ts';

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
