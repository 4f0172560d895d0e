import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type { SelectionPredicate } from '../../storage/contract/selection-predicate.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { OrderedStore } from './ordered-store.ts';
import { restamped } from './restamped-object.ts';
import type { StoreElement } from './store-element.ts';

/** One change in the watch cache. */
export interface WatchCacheChange<T extends KubernetesObject> {
  readonly key: string;
  readonly revision: Revision;
  /** `revision` as decimal digits. */
  readonly resourceVersion: string;
  /** The object after the change; undefined for a deletion. */
  readonly current: StoreElement<T> | undefined;
  /** The object before the change; undefined for a creation. */
  readonly previous: StoreElement<T> | undefined;
  /** For a deletion: the last state, with the resource version of the deletion. */
  readonly deleted: StoredObject<T> | undefined;
  /** The whole content of the cache after the change. */
  readonly state: OrderedStore<StoreElement<T>>;
  /** The time at which the cache received it, on the monotonic clock. */
  readonly recordedAtMs: number;
}

/**
 * A change with the events that watchers receive for it. Each event is made at most once and shared by all watchers, so that an
 * encoder may cache its result as long as the event object exists.
 */
export class WatchCacheEvent<T extends KubernetesObject> {
  readonly change: WatchCacheChange<T>;
  readonly revision: Revision;
  readonly recordedAtMs: number;
  #modified: ObjectEvent<StoredObject<T>> | undefined;
  #deleted: ObjectEvent<StoredObject<T>> | undefined;

  constructor(change: WatchCacheChange<T>) {
    this.change = change;
    this.revision = change.revision;
    this.recordedAtMs = change.recordedAtMs;
  }

  /**
   * The event for a watcher with this predicate: ADDED if the object starts to match, DELETED if it no longer matches (with its
   * previous content and the resource version of the change), undefined if the change does not concern the watcher.
   */
  seenThrough(
    predicate: SelectionPredicate<T> | undefined,
  ): ObjectEvent<StoredObject<T>> | undefined {
    const { current, previous } = this.change;
    const before = previous?.matches(predicate) === true;
    if (current?.matches(predicate) === true)
      return before ? this.#asModified(current) : current.added;
    return before && previous !== undefined ? this.#asDeleted(previous) : undefined;
  }

  #asModified(current: StoreElement<T>): ObjectEvent<StoredObject<T>> {
    this.#modified ??= { type: 'MODIFIED', object: current.stored };
    return this.#modified;
  }

  #asDeleted(previous: StoreElement<T>): ObjectEvent<StoredObject<T>> {
    const { deleted, resourceVersion } = this.change;
    this.#deleted ??= {
      type: 'DELETED',
      object: deleted ?? restamped(previous.stored, resourceVersion),
    };
    return this.#deleted;
  }
}
