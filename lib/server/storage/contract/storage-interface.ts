import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { SelectionPredicate } from './selection-predicate.ts';
import type { StorageGuard } from './storage-guard.ts';
import type { StoredObject } from './stored-object.ts';
import type { Versioner } from './versioner.ts';

/**
 * Objects of one resource under a key prefix, over any key-value engine. The raw storage and the watch cache in front of it
 * both implement it, and pass the same conformance suite.
 *
 * Keys are absolute (`/registry/pods/shop/web-1`) and lie under the resource prefix of the store.
 * Errors that concern one key are `StorageError`s; errors that concern a resource version are `ApiError`s (410, 504).
 * @see apiserver pkg/storage/interfaces.go Interface @ 24a394e
 * @experimental
 */
export interface StorageInterface<T extends KubernetesObject = KubernetesObject> {
  readonly versioner: Versioner;
  /**
   * Whether `requestWatchProgress` is reliable. If not, a reader that watches only this resource cannot know when the rest of the
   * storage has moved on; a cache has to read the revision from the storage instead.
   */
  readonly supportsProgress: boolean;
  /**
   * Stores a new object.
   * @throws {StorageError} KEY_EXISTS; RESOURCE_VERSION_SET; INVALID_KEY.
   */
  create(key: string, object: T, options?: StorageCreateOptions): Promise<StoredObject<T>>;
  /**
   * Removes an object by compare-and-swap and returns its last state with the resource version of the deletion.
   * @throws {StorageError} KEY_NOT_FOUND; INVALID_OBJECT when a precondition fails; CORRUPT_OBJECT when it cannot be read; the
   * error that `validate` throws.
   */
  delete(key: string, options?: StorageDeleteOptions<T>): Promise<StoredObject<T>>;
  /**
   * Returns undefined only with `ignoreNotFound`.
   * @throws {StorageError} KEY_NOT_FOUND; CORRUPT_OBJECT. @throws {ApiError} 504 too large.
   */
  get(key: string, options?: StorageGetOptions): Promise<StoredObject<T> | undefined>;
  /**
   * One object (`recursive: false`), or all objects under a prefix in key order.
   * @throws {ApiError} 400, 410, 504; 500 with reason StorageReadError, which names the objects that cannot be read.
   */
  getList(key: string, options?: GetListOptions<T>): Promise<StorageList<T>>;
  /**
   * As `getList`, for a reader that goes through the objects and keeps none. Without this method, call `getList`.
   * @throws {ApiError} As `getList`; reading the items throws nothing.
   */
  scan?(key: string, options?: GetListOptions<T>): Promise<StorageScan<T>>;
  /**
   * Reads, calls `tryUpdate`, and writes if there was no other write in between; otherwise it starts over. `tryUpdate` may run any
   * number of times and must have no side effects outside its own variables. If the encoded object did not change, nothing is written.
   * Awaits between read and write; the comparison in the transaction makes that safe.
   * @throws {StorageError} KEY_NOT_FOUND; INVALID_OBJECT; the error that `tryUpdate` throws.
   */
  guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options?: GuaranteedUpdateOptions<T>,
  ): Promise<StoredObject<T>>;
  /**
   * Changes of one object or of a prefix. If the watch cannot start (410, 504), the stream throws and not this call. The one
   * exception is a cache that is not ready: it rejects with 429.
   */
  watch(key: string, options?: StorageWatchOptions<T>): Promise<StorageWatch<T>>;
  /** Number and size of the objects under the resource prefix. */
  stats(): Promise<StorageStats>;
  /** From now on the storage records the sizes of the values it reads and writes, so that `stats` can return them. */
  enableResourceSizeEstimation(): void;
  /** Asks the backend to report the progress of running watches, even if nothing changes. */
  requestWatchProgress(): Promise<void>;
  /** The resource version of the most recent state. */
  getCurrentResourceVersion(): Promise<string>;
  /** The oldest revision known to be readable; undefined before the first compaction. */
  compactRevision(): Promise<string | undefined>;
  /** Resolves if requests can be served. @throws {ApiError} 429 with retryAfterSeconds if not. */
  readinessCheck(): Promise<void>;
}

/**
 * The client that code in the process of the server is. Every write waits for its watches: the server decides by them, for instance who
 * may do what, and they cost no write to a socket.
 */
export const IN_PROCESS_CLIENT = '';

/** @experimental */
export interface StorageCreateOptions {
  /** The object is removed after this time. 0 or left out: never. */
  readonly ttlSeconds?: number | undefined;
  /** Which client writes, as `RequestContext.client`. A cache lets the watches of the client have the event first. */
  readonly client?: string | undefined;
  /** Another key on which the write depends. @defaultValue none */
  readonly guard?: StorageGuard | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @experimental */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** @experimental */
export interface StorageDeleteOptions<T extends KubernetesObject> {
  readonly preconditions?: Preconditions | undefined;
  /**
   * Removes the object only if it cannot be transformed or decoded; a readable one gives INVALID_OBJECT. Preconditions and
   * `cachedExisting` are ignored. `validate` and the caller get an object without content.
   * @defaultValue false
   */
  readonly onlyIfUnreadable?: boolean | undefined;
  /** May refuse the deletion by throwing; gets the present object. May run more than once. */
  readonly validate?: ((object: T) => void | Promise<void>) | undefined;
  /** The object as a cache has it; a hint that saves a read if it is up to date. */
  readonly cachedExisting?: StoredObject<T> | undefined;
  /** See `CreateOptions.client`. */
  readonly client?: string | undefined;
  /** See `CreateOptions.guard`. */
  readonly guard?: StorageGuard | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @experimental */
export interface StorageGetOptions {
  /** Left out: the most recent state. Otherwise a state at least as new (`"0"`: any state). */
  readonly resourceVersion?: string | undefined;
  readonly ignoreNotFound?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @experimental */
export interface GetListOptions<T extends KubernetesObject> {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
  /** @defaultValue true */
  readonly recursive?: boolean | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  readonly limit?: number | undefined;
  /**
   * With a limit: the list may have fewer objects, with a continue token, when its values are large or the storage is slow. For
   * callers that read all pages, so that the time limit of a page is not that of thousands of large objects. @defaultValue false
   */
  readonly mayEndEarly?: boolean | undefined;
  readonly continueToken?: string | undefined;
  /**
   * Leaves unreadable objects out of the items and returns their keys in `unreadableKeys`, instead of failing the list. For
   * callers that can work with the readable objects alone. A cache passes such a list on to the storage. @defaultValue false
   */
  readonly leaveOutUnreadable?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Objects of one state, in the order of their keys.
 *
 * @experimental
 */
export interface StorageScan<T extends KubernetesObject> {
  /** May be read again, with the same result, also after later writes. They may be read from the state one by one. */
  readonly items: Iterable<StoredObject<T>>;
  readonly resourceVersion: string;
  readonly continueToken?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** @experimental */
export interface StorageList<T extends KubernetesObject> extends StorageScan<T> {
  readonly items: readonly StoredObject<T>[];
  /** With `leaveOutUnreadable`: the keys of the objects that were left out. */
  readonly unreadableKeys?: readonly string[] | undefined;
}

/**
 * The state `tryUpdate` starts from.
 *
 * @experimental
 */
export interface UpdateInput<T extends KubernetesObject> {
  /** A private copy with its resource version set; undefined if the object does not exist and `ignoreNotFound` is set. */
  readonly existing: T | undefined;
  /** The shared stored form of `existing`. */
  readonly stored: StoredObject<T> | undefined;
}

/** @experimental */
export interface UpdateOutput<T extends KubernetesObject> {
  readonly object: T;
  /** Left out: no expiry; an earlier expiry is removed. */
  readonly ttlSeconds?: number | undefined;
}

/** @experimental */
export type TryUpdate<T extends KubernetesObject> = (
  input: UpdateInput<T>,
) => UpdateOutput<T> | Promise<UpdateOutput<T>>;

/** @experimental */
export interface GuaranteedUpdateOptions<T extends KubernetesObject> {
  /** Creates a missing object from the result of `tryUpdate`. @defaultValue false */
  readonly ignoreNotFound?: boolean | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly cachedExisting?: StoredObject<T> | undefined;
  /** See `CreateOptions.client`. */
  readonly client?: string | undefined;
  /** See `CreateOptions.guard`. */
  readonly guard?: StorageGuard | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @experimental */
export interface StorageWatchOptions<T extends KubernetesObject> {
  /** Left out or `"0"`: the present state as ADDED events, then changes. Otherwise changes after it. */
  readonly resourceVersion?: string | undefined;
  /** @defaultValue true */
  readonly recursive?: boolean | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  /** Whether the reader wants BOOKMARK events. @defaultValue false */
  readonly progressNotify?: boolean | undefined;
  /**
   * True: first the state as ADDED events, at least as new as `resourceVersion` (left out: the present state). With
   * `progressNotify`, a bookmark ends it. False: no initial events. Left out: as the resource version says.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** The end of the request on the runtime's monotonic clock; bookmarks are sent shortly before it. */
  readonly deadlineMonotonicMs?: number | undefined;
  /** Which client reads, as in `CreateOptions.client`. */
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Batches of events in order. An object that starts to match the predicate comes as ADDED. One that no longer matches comes as
 * DELETED, with its previous content and the resource version of the change. In place of an ERROR event it throws an `ApiError`
 * and ends.
 *
 * @experimental
 */
export interface StorageWatch<T extends KubernetesObject>
  extends AsyncIterable<readonly WatchEvent<StoredObject<T>>[]> {
  destroy(): void;
}

/** @experimental */
export interface StorageStats {
  readonly objectCount: number;
  /**
   * Average size of a value in the storage after transformation, estimated from the values seen so far. Undefined before
   * `enableResourceSizeEstimation`.
   */
  readonly averageSizeBytes?: number | undefined;
  /** The same for all objects together. */
  readonly totalSizeBytes?: number | undefined;
}

/** The objects of a list for a reader that goes through them; see `StorageInterface.scan`. */
export function scanStorage<T extends KubernetesObject>(
  storage: StorageInterface<T>,
  key: string,
  options?: GetListOptions<T>,
): Promise<StorageScan<T>> {
  return storage.scan?.(key, options) ?? storage.getList(key, options);
}
