import type { HasMetadata } from '../../meta/object.ts';
import type { ObjectEvent } from '../../meta/watch-event.ts';

/**
 * What a reflector feeds. All calls are synchronous; a sink that throws ends the round, and the reflector lists again.
 * `DeltaFIFO` satisfies it by shape; so does the watch cache of the server.
 */
export interface ReflectorSink<V extends HasMetadata> {
  /** The whole content as of `resourceVersion`. */
  replace(items: readonly V[], resourceVersion: string): void;
  /** Changes in order, after the last `replace`. */
  apply(events: readonly ObjectEvent<V>[]): void;
  /** Every change up to `resourceVersion` was passed to `apply`. */
  bookmark(resourceVersion: string): void;
  /** Hands every object that is known to the consumers again. */
  resync?(): void;
  /**
   * Called between batches: when the sink is too full it returns a promise, and the reflector reads on once that resolves.
   * Returns undefined when there is room.
   */
  waitForRoom?(): Promise<void> | undefined;
}
