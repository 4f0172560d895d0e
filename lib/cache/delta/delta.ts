import type { HasMetadata } from '../../meta/object.ts';

/** An object that exists: new, changed, part of a relist, or of a resync. Whether it is new depends on the store. */
export interface ObjectDelta<V extends HasMetadata> {
  readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync';
  readonly key: string;
  readonly object: V;
}

/**
 * An object that no longer exists.
 *
 * If its deletion was missed, or could not be read, `finalStateUnknown` is set and `object` is the last state seen; without
 * `object` the stored state is the last one.
 */
export interface DeletedDelta<V extends HasMetadata> {
  readonly type: 'Deleted';
  readonly key: string;
  readonly object: V | undefined;
  readonly finalStateUnknown: boolean;
}

/** Changes of one object. */
export type KeyedDelta<V extends HasMetadata> = ObjectDelta<V> | DeletedDelta<V>;

/** The whole content as of `resourceVersion`, to be applied in one step; with a scope, the content of a part. */
export interface ReplacedAllDelta<V extends HasMetadata> {
  readonly type: 'ReplacedAll';
  /** By key, in list order. */
  readonly contents: ReadonlyMap<string, V>;
  /** Keys of listed objects that could not be read: their stored state stays. */
  readonly unreadable: ReadonlySet<string>;
  /** The start of the keys of the part; other objects stay. @defaultValue all keys */
  readonly scope?: string | undefined;
  readonly resourceVersion: string;
}

/** A resync: every object of the store is passed to handlers again. */
export interface SyncAllDelta {
  readonly type: 'SyncAll';
}

/** Every change up to `resourceVersion` came before this. */
export interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
}

/** An item of a `DeltaFIFO`. */
export type Delta<V extends HasMetadata> =
  | KeyedDelta<V>
  | ReplacedAllDelta<V>
  | SyncAllDelta
  | BookmarkDelta;

/** An order of the deltas of a `DeltaFIFO`. All calls are synchronous. */
export interface DeltaQueue<V extends HasMetadata> {
  /** Number of items `shift` can take. */
  readonly size: number;
  /** Number of deltas in all items. */
  readonly deltas: number;
  /** Number of items that are relists. */
  readonly relists: number;
  enqueue(delta: KeyedDelta<V>): void;
  /** Returns how many items make up the initial population, should this be the first call of all. */
  replace(relist: ReplacedAllDelta<V>): number;
  resync(): void;
  bookmark(resourceVersion: string): void;
  /** The oldest item, if it is a relist. */
  peekRelist(): ReplacedAllDelta<V> | undefined;
  /** Appends the deltas of the oldest item to `into`. */
  shift(into: Delta<V>[]): void;
}
