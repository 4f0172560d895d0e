import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';

/**
 * The whole content of a collection while it is passed to a sink.
 *
 * Guarantees: the content is invisible before `commit` and visible as a whole after it; a discarded relist has no effect.
 */
export interface Relist<V extends HasMetadata> {
  /** More of the content; of several objects with one key the last counts. */
  add(items: readonly V[]): void;
  /** Events of a streaming list before its end: objects are added, changed and deleted. Bookmarks are ignored. */
  apply(events: readonly WatchEvent<V>[]): void;
  /** As `waitForRoom` of the sink: a promise while the sink has no room. */
  waitForRoom?(): Promise<void> | undefined;
  /** The content is complete as of `resourceVersion`; returns the number of objects. */
  commit(resourceVersion: string): number;
  /** Drops the content. It has no effect after `commit`, and when called again. */
  discard(): void;
}

/** The methods of a sink besides relists. */
export interface ChangeSink<V extends HasMetadata> {
  /** Changes in order, after the last relist. */
  apply(events: readonly ObjectEvent<V>[]): void;
  /** Every change up to `resourceVersion` was passed to `apply`. */
  bookmark(resourceVersion: string): void;
  /** Passes every known object to the consumers again. */
  resync?(): void;
  /**
   * Called between batches. Returns undefined when there is room. When the sink is full, it returns a promise, and the reflector
   * continues to read when the promise resolves.
   */
  waitForRoom?(): Promise<void> | undefined;
}

/**
 * The target of a reflector, for example a `DeltaFIFO`. All calls are synchronous. If a sink throws, the round ends, and the
 * reflector lists again.
 */
export interface ReflectorSink<V extends HasMetadata> extends ChangeSink<V> {
  /** Begins a relist, whose content arrives piece by piece, so that it is not in memory twice. There is one relist at a time. */
  beginRelist(): Relist<V>;
}

/** A sink that takes a whole content at once, such as the watch cache of the server. */
export interface ReplaceSink<V extends HasMetadata> extends ChangeSink<V> {
  /** The whole content as of `resourceVersion`. */
  replace(items: readonly V[], resourceVersion: string): void;
}
