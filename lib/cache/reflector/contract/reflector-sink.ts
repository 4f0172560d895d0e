import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';

/**
 * A list on its way into a sink.
 *
 * Guarantees: nothing of it is visible before `commit`, everything after; a `discard`ed one leaves no trace.
 */
export interface StagedReplace<V extends HasMetadata> {
  /** More of the content; of several objects with one key the last counts. */
  add(items: readonly V[]): void;
  /** Events of a streaming list before its end: objects come, change and go. Bookmarks mean nothing here. */
  apply(events: readonly WatchEvent<V>[]): void;
  /** As the sink's own: a promise when more would be too much for now. */
  waitForRoom?(): Promise<void> | undefined;
  /** The content is complete; returns the number of objects. What a sink's `replace` may throw, this may throw. */
  commit(resourceVersion: string): number;
  /** The content will never be complete. Harmless after `commit`, and again. */
  discard(): void;
}

/**
 * What a reflector feeds. All calls are synchronous; a sink that throws ends the round, and the reflector lists again.
 * `DeltaFIFO` satisfies it by shape; so does the watch cache of the server.
 */
export interface ReflectorSink<V extends HasMetadata> {
  /** The whole content as of `resourceVersion`. */
  replace(items: readonly V[], resourceVersion: string): void;
  /**
   * Begins a `replace` whose content comes piece by piece, so that nobody has to hold it twice. Nothing is visible before its
   * `commit`. One at a time; a sink without it gets the whole at once.
   */
  stage?(): StagedReplace<V>;
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
