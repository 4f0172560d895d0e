import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';

/**
 * The whole content of a collection on its way into a sink.
 *
 * Guarantees: nothing of it is visible before `commit`, everything after; a discarded one leaves no trace.
 */
export interface Relist<V extends HasMetadata> {
  /** More of the content; of several objects with one key the last counts. */
  add(items: readonly V[]): void;
  /** Events of a streaming list before its end: objects come, change and go. Bookmarks mean nothing here. */
  apply(events: readonly WatchEvent<V>[]): void;
  /** As the sink's own: a promise when more would be too much for now. */
  waitForRoom?(): Promise<void> | undefined;
  /** The content is complete as of `resourceVersion`; returns the number of objects. */
  commit(resourceVersion: string): number;
  /** The content will never be complete. Harmless after `commit`, and again. */
  discard(): void;
}

/** What a sink takes besides whole contents. */
export interface ChangeSink<V extends HasMetadata> {
  /** Changes in order, after the last relist. */
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

/**
 * What a reflector feeds: a `DeltaFIFO`, for one. All calls are synchronous; a sink that throws ends the round, and the
 * reflector lists again.
 */
export interface ReflectorSink<V extends HasMetadata> extends ChangeSink<V> {
  /** Begins a relist, whose content comes piece by piece, so that it need not be held twice. One at a time. */
  beginRelist(): Relist<V>;
}

/** A sink that takes a whole content at once, such as the watch cache of the server. */
export interface ReplaceSink<V extends HasMetadata> extends ChangeSink<V> {
  /** The whole content as of `resourceVersion`. */
  replace(items: readonly V[], resourceVersion: string): void;
}
