import type { ResourceName } from '../../../meta/collection-options.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ReceivedObjects } from './received-objects.ts';
import type { SharedCollections } from './shared-collections.ts';

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
  /** The cache that asks, for sources that can use it: a recording refers to its objects. @defaultValue none */
  readonly cache?: ReceivedObjects | undefined;
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
  /** The shards that the server has chosen, if it says so; lists of custom resources do not say it. */
  readonly shardInfo?: { readonly selector: string } | undefined;
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
  /** As in a `ListRequest`; a source reads less of an event where it knows the object. */
  readonly cache?: ReceivedObjects | undefined;
}

/**
 * A stream of events in batches, in order. A batch has the events of one read of the source.
 *
 * Guarantees: the stream ends normally when the server ends it; it throws an `ApiError` for an ERROR event and a typed error
 * for a broken connection, after everything before it was delivered. Leaving the loop or aborting the signal closes the source.
 */
export type WatchStream<V extends HasMetadata> = AsyncIterable<readonly WatchEvent<V>[]>;

/** Makes a source around a source. */
export type SourceDecorator = <V extends HasMetadata>(source: ListerWatcher<V>) => ListerWatcher<V>;

/** The features of a source besides its lists and watches. */
export interface SourceSupport<V extends HasMetadata> {
  /** False when it is known not to support `sendInitialEvents`; the reflector then lists. @defaultValue true */
  readonly watchList?: boolean | undefined;
  /** Shared by the sources of one server, so that in an outage they send requests one at a time. @defaultValue none */
  readonly gate?: ServerGate | undefined;
  /**
   * Sources with the same `collections` and `key` read the same objects in the same way, with the same credentials: informers of one
   * process may share one watch of them. A decorator that changes what is read leaves it out. @defaultValue none is equal to it
   */
  readonly sharing?: { readonly collections: SharedCollections; readonly key: string } | undefined;
  /**
   * The same source with a decorator closer to the server than the decorators that it has itself, such as those of `Client.intercept`.
   * @defaultValue it has none
   */
  readonly decorated?: ((decorate: SourceDecorator) => ListerWatcher<V>) | undefined;
  /** The same collection, of which the server sends only metadata: for what compares versions. @defaultValue whole objects are compared */
  readonly metadata?: (() => ListerWatcher<HasMetadata>) | undefined;
  /**
   * The same collection, of which the server may leave out `managedFields`: for readers that drop them. @defaultValue it sends whole objects
   */
  readonly withoutManagedFields?: (() => ListerWatcher<V>) | undefined;
}

/**
 * One collection of one resource that can be listed and watched; namespace and selectors are fixed when it is made.
 *
 * The reflector needs nothing else: objects may come over HTTP, from a storage or from a test script. `V` is the type of the
 * objects in the pipeline, usually an `ObjectView`.
 *
 * Everything that stands between the server and a reflector is a `ListerWatcher` around a `ListerWatcher`. From the server outwards:
 *
 * 1. the source itself;
 * 2. a warm start, which answers the first list from a snapshot and holds the watch that was requested ahead of it;
 * 3. recordings: those of the client (`Client.intercept`), then that of the informer (`SharedIndexInformer.intercept`), so that a
 *    recording has the list of a warm start;
 * 4. the cache that asks, which is added to each request.
 *
 * The reflector waits at the gate of an outage before it sends a request into this chain, because its deadlines begin with the request.
 * An informer of several namespaces has a chain for each of them.
 */
export interface ListerWatcher<V extends HasMetadata> {
  /** Names the collection in messages, e.g. `deployments.apps in namespace shop`. */
  readonly description: string;
  /**
   * The resource that it reads: it decides whether objects are Secrets, which recordings and dumps mask. A decorator passes it on.
   * @defaultValue not known: each object is searched
   */
  readonly resource?: ResourceName | undefined;
  readonly supports?: SourceSupport<V> | undefined;
  /**
   * Reads one page. Rejects with an `ApiError` when the source refuses. A source that reads its answer as it comes hands items to
   * `onItems` when it is given; one that does not leave them in the page. A page that fails may have handed out some.
   */
  list(request: ListRequest, onItems?: ItemsTaker<V>): Promise<ListPage<V>>;
  /** Resolves once the source has accepted the watch. Rejects with an `ApiError` when it refuses. */
  watch(request: WatchRequest): Promise<WatchStream<V>>;
}

/**
 * Shared by the sources of one server: while the server does not answer, their readers send requests one after the other.
 *
 * A reflector waits for its turn before each list and each watch. The source reports whether there was an answer.
 */
export interface ServerGate {
  /** Why requests wait, such as `waiting for the server: …`; undefined while the server answers. */
  readonly waitingFor: string | undefined;
  /** Undefined when a request may be sent at once. Rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void> | undefined;
  /** The server did not send expected data: until it answers, only one reader at a time sends a request. */
  doubt(): void;
}

/** A list of this limit asks for the version of the server. */
export const PROBE_ITEMS = 1;
/** A watch of this time, beside the one that is read, asks whether that should have brought something. */
export const PROBE_SECONDS = 1;

/**
 * A watch of this time, beside the one that is read, asks what the other one lacks: a server sends a bookmark two seconds before the end.
 */
export const CHANGES_SECONDS = 3;

/** Whether a request asks only how the server is, besides what its reader gets. A watch is one only beside another watch. */
export function isProbe({ limit, timeoutSeconds }: ListRequest & WatchRequest): boolean {
  return (
    limit === PROBE_ITEMS || timeoutSeconds === PROBE_SECONDS || timeoutSeconds === CHANGES_SECONDS
  );
}
