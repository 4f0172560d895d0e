import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { SelectionPredicate } from './selection-predicate.ts';
import type { StoredObject } from './stored-object.ts';
import type { Versioner } from './versioner.ts';

/**
 * Objects of one resource under a key prefix, over any key-value engine; the raw store and the cache in front of it both
 * satisfy it, and pass the same conformance suite.
 *
 * Keys are absolute (`/registry/pods/shop/web-1`) and lie under the resource prefix of the store.
 * Errors are `StorageError`s for what concerns one key and `ApiError`s (410, 504) for what concerns a resource version.
 * @see apiserver pkg/storage/interfaces.go Interface @ 24a394e
 */
export interface StorageInterface<T extends KubernetesObject = KubernetesObject> {
  readonly versioner: Versioner;
  /**
   * Whether `requestWatchProgress` can be trusted. Without it, a reader that follows this resource alone cannot know that the rest of
   * the storage has moved on: a cache has to ask the storage instead.
   */
  readonly supportsProgress: boolean;
  /**
   * Stores a new object.
   * @throws {StorageError} KEY_EXISTS; RESOURCE_VERSION_SET; INVALID_KEY.
   */
  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>>;
  /**
   * Removes an object by compare-and-swap and returns its last state with the resource version of the deletion.
   * @throws {StorageError} KEY_NOT_FOUND; INVALID_OBJECT when a precondition fails; CORRUPT_OBJECT when it cannot be read;
   * whatever `validate` throws.
   */
  delete(key: string, options?: DeleteOptions<T>): Promise<StoredObject<T>>;
  /**
   * Undefined only with `ignoreNotFound`.
   * @throws {StorageError} KEY_NOT_FOUND; CORRUPT_OBJECT. @throws {ApiError} 504 too large.
   */
  get(key: string, options?: GetOptions): Promise<StoredObject<T> | undefined>;
  /**
   * One object (`recursive: false`) or all under a prefix, in key order.
   * @throws {ApiError} 400, 410, 504; 500 with reason StorageReadError, which names the objects that cannot be read.
   */
  getList(key: string, options?: GetListOptions<T>): Promise<StorageList<T>>;
  /**
   * Reads, calls `tryUpdate`, writes if no other write came in between, otherwise starts over. `tryUpdate` may run any number of
   * times and must be pure apart from its own variables. Writes nothing when the encoded object did not change.
   * Awaits between read and write: the compare in the transaction is what makes it safe.
   * @throws {StorageError} KEY_NOT_FOUND; INVALID_OBJECT; whatever `tryUpdate` throws.
   */
  guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options?: GuaranteedUpdateOptions<T>,
  ): Promise<StoredObject<T>>;
  /**
   * Changes of one object or of a prefix. What cannot be started (410, 504) is thrown by the stream, not by this call,
   * except that a cache that is not ready rejects with 429.
   */
  watch(key: string, options?: StorageWatchOptions<T>): Promise<StorageWatch<T>>;
  /** How much lies under the resource prefix. */
  stats(): Promise<StorageStats>;
  /** From now on the sizes of values are noted as they pass by, so that `stats` can tell them. */
  enableResourceSizeEstimation(): void;
  /** Asks the backend to tell running watches how far they are, even if nothing changes. */
  requestWatchProgress(): Promise<void>;
  /** The resource version of the most recent state. */
  getCurrentResourceVersion(): Promise<string>;
  /** The oldest revision that is still readable, as far as known; undefined before the first compaction. */
  compactRevision(): Promise<string | undefined>;
  /** Resolves when requests can be served. @throws {ApiError} 429 with retryAfterSeconds when not yet. */
  readinessCheck(): Promise<void>;
}

export interface CreateOptions {
  /** The object is removed after this time; 0 or left out: never. */
  readonly ttlSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface DeleteOptions<T extends KubernetesObject> {
  readonly preconditions?: Preconditions | undefined;
  /**
   * The object is removed only if it cannot be read, neither transformed nor decoded; otherwise INVALID_OBJECT. Preconditions
   * and `cachedExisting` do not count then, `validate` gets an object without content, and so does the caller.
   * @defaultValue false
   */
  readonly onlyIfUnreadable?: boolean | undefined;
  /** May refuse, by throwing, given the present object. May run more than once. */
  readonly validate?: ((object: T) => void | Promise<void>) | undefined;
  /** The object as a cache has it; a hint that saves a read when it is right. */
  readonly cachedExisting?: StoredObject<T> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions {
  /** Left out: the most recent state. Otherwise a state not older than it (`"0"`: any). */
  readonly resourceVersion?: string | undefined;
  readonly ignoreNotFound?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GetListOptions<T extends KubernetesObject> {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
  /** @defaultValue true */
  readonly recursive?: boolean | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  readonly limit?: number | undefined;
  readonly continueToken?: string | undefined;
  /**
   * Unreadable objects are left out of the items and named in `unreadableKeys`, instead of failing the list. For work that has to
   * go on with what there is; a cache leaves it to the storage. @defaultValue false
   */
  readonly leaveOutUnreadable?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StorageList<T extends KubernetesObject> {
  readonly items: readonly StoredObject<T>[];
  readonly resourceVersion: string;
  readonly continueToken?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /** With `leaveOutUnreadable`: the keys of what was left out. */
  readonly unreadableKeys?: readonly string[] | undefined;
}

/** The state `tryUpdate` starts from. */
export interface UpdateInput<T extends KubernetesObject> {
  /** A private copy with its resource version set; undefined when there is none and `ignoreNotFound` is set. */
  readonly existing: T | undefined;
  /** The shared stored form of `existing`. */
  readonly stored: StoredObject<T> | undefined;
}

export interface UpdateOutput<T extends KubernetesObject> {
  readonly object: T;
  /** Left out: no expiry, an earlier one is dropped. */
  readonly ttlSeconds?: number | undefined;
}

export type TryUpdate<T extends KubernetesObject> = (
  input: UpdateInput<T>,
) => UpdateOutput<T> | Promise<UpdateOutput<T>>;

export interface GuaranteedUpdateOptions<T extends KubernetesObject> {
  /** A missing object is created from what `tryUpdate` returns. @defaultValue false */
  readonly ignoreNotFound?: boolean | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly cachedExisting?: StoredObject<T> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StorageWatchOptions<T extends KubernetesObject> {
  /** Left out or `"0"`: the present state as ADDED events, then changes. Otherwise changes after it. */
  readonly resourceVersion?: string | undefined;
  /** @defaultValue true */
  readonly recursive?: boolean | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  /** The reader wants BOOKMARK events. @defaultValue false */
  readonly progressNotify?: boolean | undefined;
  /**
   * True: the state as ADDED events, at least as new as `resourceVersion` (left out: as now), then, with `progressNotify`, a
   * bookmark that ends it. False: no initial events. Left out: as the resource version says.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the request ends, on the runtime's monotonic clock; bookmarks come shortly before it. */
  readonly deadlineMonotonicMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Batches of events in order. Objects that enter the predicate come as ADDED; those that leave it as DELETED, with their
 * previous content and the resource version of the change. Throws an `ApiError` in place of an ERROR event; nothing follows.
 */
export interface StorageWatch<T extends KubernetesObject>
  extends AsyncIterable<readonly WatchEvent<StoredObject<T>>[]> {
  close(): void;
}

export interface StorageStats {
  readonly objectCount: number;
  /**
   * Average size of a transformed value in the storage; an estimate from the values that passed by. Undefined before
   * `enableResourceSizeEstimation`.
   */
  readonly averageSizeBytes?: number | undefined;
  /** The same for all objects together. */
  readonly totalSizeBytes?: number | undefined;
}
