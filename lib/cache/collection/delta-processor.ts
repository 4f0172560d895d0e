import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import type { DeletedDelta, Delta, ObjectDelta, ReplacedAllDelta } from '../delta/delta.ts';
import type { NextRelist, PopInfo } from '../delta/delta-fifo.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import type { WriteOverlay } from '../store/write-overlay.ts';
import type { Origin } from '../informer/handlers/event-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
  type NotificationBatch,
} from '../informer/handlers/notification.ts';
import { isRecreated, lastSeen, RelistChanges } from './relist-changes.ts';
import type { StoredObjects } from './stored-objects.ts';

type AppliedWrites<V extends HasMetadata> = Pick<
  WriteOverlay<V>,
  'observed' | 'replaced' | 'isOwn' | 'isOwnDeletion'
>;

export interface DeltaProcessorOptions<V extends HasMetadata> {
  /** The objects to which the deltas are applied. */
  readonly objects: StoredObjects<V>;
  /** Own writes. It gets every applied change, and says whether a change is an own write. */
  readonly overlay: AppliedWrites<V>;
  /** Whether deltas arrive in the order of the changes; then each sets the resource version of the store. */
  readonly ordered: boolean;
}

/**
 * Applies deltas to the store and returns the notifications for the handlers.
 *
 * Guarantees:
 * - The content of the store decides between add and update, not the type of the delta.
 * - A relist is one step of the store; its deletions come first, then the rest in list order.
 * - An object with the stored resource version is unchanged: the stored object stays, and no handler is called.
 * - If an object of a relist cannot be read, the stored state stays until a state that can be read arrives.
 * - An object with the same name and another uid is a new object: the old one is deleted first.
 * - Every deletion is notified, also of an object that was never seen.
 * - Only events have the origin `self`: a difference found by a list may consist of several changes.
 * @see client-go tools/cache/controller.go processDeltas, processReplacedAllInfo @ 32ce75a7
 */
export class DeltaProcessor<V extends HasMetadata> {
  readonly #objects: StoredObjects<V>;
  readonly #store: ThreadSafeStore<V>;
  readonly #overlay: AppliedWrites<V>;
  readonly #ordered: boolean;
  /** The changes of the relist that is applied next. */
  #prepared: RelistChanges<V> | undefined;
  #initial = false;
  /** Of the last bookmark in the deltas that are being applied. */
  #bookmarked: string | undefined;
  #eventsApplied = 0;
  #batches: NotificationBatch<V>[] = [];
  #changes: Notification<V>[] = [];
  #resyncs: Notification<V>[] = [];

  constructor({ objects, overlay, ordered }: DeltaProcessorOptions<V>) {
    this.#objects = objects;
    this.#store = objects.store;
    this.#overlay = overlay;
    this.#ordered = ordered;
  }

  /** Events of watches that were applied. */
  get eventsApplied(): number {
    return this.#eventsApplied;
  }

  /**
   * Prepares the next relist, so that applying it is short. Returns the steps of the preparation; nothing else may be applied
   * before the steps are done and the relist is applied.
   */
  prepare({ relist, info }: NextRelist<V>): Iterator<void> {
    this.#prepared = this.#changesOf(relist, info.initial);
    return this.#prepared.steps;
  }

  /** The preparation is discarded. */
  dropPrepared(): void {
    this.#prepared = undefined;
  }

  /** Applies the deltas, oldest first, and returns their notifications, in order. */
  process(deltas: readonly Delta<V>[], { initial }: PopInfo): readonly NotificationBatch<V>[] {
    const versionBefore = this.#store.resourceVersion;
    this.#initial = initial;
    for (const delta of deltas) this.#apply(delta);
    if (!this.#ordered) this.#store.bookmark(this.#bookmarked ?? versionBefore);
    this.#bookmarked = undefined;
    this.#closeBatch();
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }

  #apply(delta: Delta<V>): void {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Replaced':
        this.#set(delta);
        return;
      case 'Deleted':
        this.#delete(delta);
        return;
      case 'Sync':
        this.#resync(delta.key, delta.object);
        return;
      case 'ReplacedAll':
        this.#replaceAll(delta);
        return;
      case 'SyncAll':
        for (const [key, object] of this.#store.entries()) this.#resync(key, object);
        return;
      case 'Bookmark':
        this.#store.bookmark(delta.resourceVersion);
        this.#bookmarked = delta.resourceVersion;
        return;
    }
  }

  #set({ type, key, object }: ObjectDelta<V>): void {
    const replaced = type === 'Replaced';
    if (!replaced) this.#eventsApplied += 1;
    const old = this.#store.get(key);
    if (this.#objects.isUnchanged(key, old, object)) {
      this.#objects.release(key, object);
      return;
    }
    // Computed before the old object leaves the store, while its identity can be read.
    const recreated = old !== undefined && isRecreated(old, object);
    const stored = this.#objects.set(key, object);
    this.#overlay.observed(key, stored, false);
    if (recreated) this.#notify(lastSeen(key, old));
    const origin = replaced ? 'other' : this.#originOf(key, stored);
    this.#notify(this.#present(key, recreated ? undefined : old, stored, origin));
  }

  #delete({ key, object, finalStateUnknown }: DeletedDelta<V>): void {
    if (!finalStateUnknown) this.#eventsApplied += 1;
    const stored = this.#objects.delete(key, object);
    const last = object ?? stored;
    if (last === undefined) return;
    this.#overlay.observed(key, last, true);
    const origin = finalStateUnknown ? 'other' : this.#originOfDeletion(key, last);
    this.#notify(new DeleteNotification(key, last, finalStateUnknown, origin));
  }

  #originOf(key: string, object: V): Origin {
    return this.#overlay.isOwn(key, identityOf(object).resourceVersion ?? '') ? 'self' : 'other';
  }

  #originOfDeletion(key: string, last: V): Origin {
    const { uid } = identityOf(last);
    if (uid !== undefined && this.#overlay.isOwnDeletion(key, uid)) return 'self';
    return this.#originOf(key, last);
  }

  #replaceAll(relist: ReplacedAllDelta<V>): void {
    const prepared = this.#prepared?.relist === relist ? this.#prepared : undefined;
    this.#prepared = undefined;
    const changes = prepared ?? this.#changesOf(relist, this.#initial);
    const notifications = changes.apply();
    this.#overlay.replaced(relist.resourceVersion, relist.scope);
    this.#notifyAll(notifications);
  }

  #changesOf(relist: ReplacedAllDelta<V>, initial: boolean): RelistChanges<V> {
    return new RelistChanges<V>({ relist, objects: this.#objects, initial });
  }

  #resync(key: string, object: V): void {
    this.#resyncs.push(new UpdateNotification(key, object, object, true, 'other'));
  }

  #present(key: string, old: V | undefined, object: V, origin: Origin): Notification<V> {
    return old === undefined
      ? new AddNotification(key, object, this.#initial, origin)
      : new UpdateNotification(key, old, object, false, origin);
  }

  #notify(notification: Notification<V>): void {
    if (this.#resyncs.length > 0) this.#closeBatch();
    this.#changes.push(notification);
  }

  #notifyAll(notifications: Notification<V>[]): void {
    if (this.#changes.length === 0 && this.#resyncs.length === 0) this.#changes = notifications;
    else for (const notification of notifications) this.#notify(notification);
  }

  /** Resyncs go only to some handlers, so they need a batch of their own. Those of an open batch came after its changes. */
  #closeBatch(): void {
    const initial = this.#initial;
    if (this.#changes.length > 0) {
      this.#batches.push({ notifications: this.#changes, initial, audience: 'all' });
      this.#changes = [];
    }
    if (this.#resyncs.length > 0) {
      this.#batches.push({ notifications: this.#resyncs, initial, audience: 'resyncing' });
      this.#resyncs = [];
    }
  }
}
