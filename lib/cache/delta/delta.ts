import type { HasMetadata } from '../../meta/object.ts';

/** An object that exists: new, changed, part of a relist, or handed out again. Whether it is new is up to the store. */
export interface ObjectDelta<V extends HasMetadata> {
  readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync';
  readonly key: string;
  readonly object: V;
}

/**
 * An object that exists no more.
 *
 * When its deletion itself was missed, or could not be read, `finalStateUnknown` is set and `object` is the last state that was
 * seen; left out, what the store has is the last one.
 */
export interface DeletedDelta<V extends HasMetadata> {
  readonly type: 'Deleted';
  readonly key: string;
  readonly object: V | undefined;
  readonly finalStateUnknown: boolean;
}

/** Changes of one object. */
export type KeyedDelta<V extends HasMetadata> = ObjectDelta<V> | DeletedDelta<V>;

/** The whole content as of `resourceVersion`, to be applied in one step. */
export interface ReplacedAllDelta<V extends HasMetadata> {
  readonly type: 'ReplacedAll';
  /** By key, in list order. */
  readonly contents: ReadonlyMap<string, V>;
  /** Keys that were in the list but could not be read: what the store has of them stays. */
  readonly unreadable: ReadonlySet<string>;
  readonly resourceVersion: string;
}

/** Every object of the store is to be handed out again. */
export interface SyncAllDelta {
  readonly type: 'SyncAll';
}

/** Every change up to `resourceVersion` came before this. */
export interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
}

/** What comes out of a `DeltaFIFO`. */
export type Delta<V extends HasMetadata> =
  | KeyedDelta<V>
  | ReplacedAllDelta<V>
  | SyncAllDelta
  | BookmarkDelta;
