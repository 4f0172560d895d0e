import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ServerGate } from './server-gate.ts';

export type ResourceVersionMatch = 'NotOlderThan' | 'Exact';

export interface ListRequest {
  /** Left out: the most recent state. `"0"`: any state. Otherwise as `resourceVersionMatch` says. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Largest number of items wanted; the server may ignore it. Left out or 0: all. */
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly continueToken?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes the items of a page while it still comes in, in order, in pieces of any size; the source waits for a promise it returns.
 * An error that it throws, or rejects with, ends the page.
 */
export type ItemsTaker<V> = (items: readonly V[]) => Promise<void> | undefined | void;

export interface ListPage<V> {
  /** The items that were not handed to `onItems`. */
  readonly items: readonly V[];
  /** The state the page shows; every page of one list carries the same. */
  readonly resourceVersion: string;
  /** Present when more pages follow. */
  readonly continueToken?: string | undefined;
  /** Items that are no objects, which the source left out. @defaultValue 0 */
  readonly skippedItems?: number | undefined;
  /** How many items follow, when the server says so. */
  readonly remainingItemCount?: number | undefined;
}

export interface WatchRequest {
  /** The stream starts with the first change after it. Left out or `"0"`: see `sendInitialEvents`. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Asks for the present state as ADDED events and a bookmark that ends it, before the changes. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the stream after this time. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A stream of events in batches: what one read of the source brought is one batch, in order.
 *
 * Guarantees: the stream ends normally when the server ends it; it throws an `ApiError` for an ERROR event and a typed error
 * for a broken connection, after everything before it was delivered. Leaving the loop or aborting the signal closes the source.
 */
export type WatchStream<V extends HasMetadata> = AsyncIterable<readonly WatchEvent<V>[]>;

/**
 * One collection of one resource that can be listed and watched; namespace and selectors are fixed when it is made.
 *
 * The reflector needs nothing else: whether objects come over HTTP, straight from a storage or out of a test script is not
 * visible here. `V` is what travels the pipeline, as a rule an `ObjectView`.
 */
export interface ListerWatcher<V extends HasMetadata> {
  /** Names the collection in messages, e.g. `deployments.apps in namespace shop`. */
  readonly description: string;
  /** False when the source is known not to support `sendInitialEvents`; the reflector then lists. @defaultValue true */
  readonly supportsWatchList?: boolean | undefined;
  /** Shared by the sources of one server, so that they ask a server that does not answer one at a time. @defaultValue none */
  readonly gate?: ServerGate | undefined;
  /**
   * One page. Rejects with an `ApiError` when the source refuses. A source that reads its answer as it comes hands items to
   * `onItems` when it is given; one that does not leave them in the page. A page that fails may have handed out some.
   */
  list(request: ListRequest, onItems?: ItemsTaker<V>): Promise<ListPage<V>>;
  /** Resolves once the source has accepted the watch. Rejects with an `ApiError` when it refuses. */
  watch(request: WatchRequest): Promise<WatchStream<V>>;
}
