import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ServerGate } from './server-gate.ts';

export type ResourceVersionMatch = 'NotOlderThan' | 'Exact';

export interface ListRequest {
  /** Left out: the most recent state. `"0"`: any state. Otherwise as `resourceVersionMatch` says. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** The most items; the server may ignore it. Left out or 0: all. */
  readonly limit?: number | undefined;
  /** The continue token of the page before. */
  readonly continueToken?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gets the items of a page while the page arrives, in order, in pieces of any size. The source waits for a returned promise. If
 * it throws or rejects, the page ends.
 */
export type ItemsTaker<V> = (items: readonly V[]) => Promise<void> | undefined | void;

export interface ListPage<V> {
  /** The items that were not passed to `onItems`. */
  readonly items: readonly V[];
  /** The version of the page; all pages of one list have the same. */
  readonly resourceVersion: string;
  /** Present when more pages follow. */
  readonly continueToken?: string | undefined;
  /** The number of items that were left out because they are not objects. @defaultValue 0 */
  readonly skippedItems?: number | undefined;
  /** The number of items that follow, if the server sends it. */
  readonly remainingItemCount?: number | undefined;
  /** The kind that items would have, of a page that has none. @defaultValue not known */
  readonly itemKind?: string | undefined;
}

export interface WatchRequest {
  /** The stream starts with the first change after it. Left out or `"0"`: see `sendInitialEvents`. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Requests the present state as ADDED events, and a bookmark at its end, before the changes. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the stream after this time. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A stream of events in batches, in order. A batch has the events of one read of the source.
 *
 * Guarantees: the stream ends normally when the server ends it; it throws an `ApiError` for an ERROR event and a typed error
 * for a broken connection, after everything before it was delivered. Leaving the loop or aborting the signal closes the source.
 */
export type WatchStream<V extends HasMetadata> = AsyncIterable<readonly WatchEvent<V>[]>;

/** A watch that was requested before its reader is ready. Nothing of it is read before the reader takes it. */
export interface WatchAhead<V extends HasMetadata> {
  /** Resolves when the source has accepted or refused it. */
  readonly answered: Promise<void>;
  /**
   * Gives it to a reader, as `ListerWatcher.watch` would: it ends with the signal of this request. Undefined if it starts from another
   * version than the reader asks for; then it has to be closed.
   */
  take(request: WatchRequest): Promise<WatchStream<V>> | undefined;
  /** Ends it, in place of `take`. */
  destroy(reason: unknown): void;
}

/** A list that its reader takes from elsewhere. It ends with one of `end` and `failed`. */
export interface RestoredList<V> {
  /** Called before the reader uses them. */
  items(items: readonly V[]): void;
  /** It is complete, and the next watch starts from its version. */
  end(resourceVersion: string): void;
  /** The rest cannot be read; none of it counts. */
  failed(error: unknown): void;
}

/**
 * One collection of one resource that can be listed and watched; namespace and selectors are fixed when it is made.
 *
 * The reflector needs nothing else: objects may come over HTTP, from a storage or from a test script. `V` is the type of the
 * objects in the pipeline, usually an `ObjectView`.
 */
export interface ListerWatcher<V extends HasMetadata> {
  /** Names the collection in messages, e.g. `deployments.apps in namespace shop`. */
  readonly description: string;
  /** False when the source is known not to support `sendInitialEvents`; the reflector then lists. @defaultValue true */
  readonly supportsWatchList?: boolean | undefined;
  /**
   * Sources with the same `scope` and `key` read the same objects in the same way, with the same credentials: informers of one process may
   * share one watch of them. `scope` is an object such as their client. Left out: none is equal to it.
   */
  readonly sharing?: { readonly scope: object; readonly key: string } | undefined;
  /** Shared by the sources of one server, so that in an outage they send requests one at a time. @defaultValue none */
  readonly gate?: ServerGate | undefined;
  /**
   * Reads one page. Rejects with an `ApiError` when the source refuses. A source that reads its answer as it comes hands items to
   * `onItems` when it is given; one that does not leave them in the page. A page that fails may have handed out some.
   */
  list(request: ListRequest, onItems?: ItemsTaker<V>): Promise<ListPage<V>>;
  /** Resolves once the source has accepted the watch. Rejects with an `ApiError` when it refuses. */
  watch(request: WatchRequest): Promise<WatchStream<V>>;
  /**
   * Requests a watch whose reader comes later, after a list that it takes from elsewhere. For sources that do more than pass a request on,
   * such as a recording, which has the watch when its reader takes it. Undefined where there is nothing else to do.
   * @defaultValue `watch` is called
   */
  watchAhead?(request: WatchRequest): WatchAhead<V> | undefined;
  /**
   * Begins a list that the reader takes from a snapshot in place of one from here, so that a recording of the source has it too. Undefined
   * where there is none.
   * @defaultValue there is none
   */
  restoring?(): RestoredList<V> | undefined;
  /** The same collection in one namespace. An informer of several namespaces needs it. @defaultValue none */
  inNamespace?(namespace: string): ListerWatcher<V>;
}
