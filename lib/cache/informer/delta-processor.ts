import type { HasMetadata } from '../../meta/object.ts';
import { isOlder } from '../../meta/version-order.ts';
import type { DeletedDelta, Delta, ObjectDelta, ReplacedAllDelta } from '../delta/delta.ts';
import type { PopInfo } from '../delta/delta-fifo.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import type { WriteOverlay } from '../store/write-overlay.ts';
import type { Origin } from './event-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
  type NotificationBatch,
} from './notification.ts';

export interface DeltaProcessorOptions<V extends HasMetadata> {
  readonly store: ThreadSafeStore<V>;
  /** Own writes; it is told of everything that is applied, and tells them from those of others. */
  readonly overlay: WriteOverlay<V>;
  /** The deltas come in the order of the changes, so the store's resource version follows them. */
  readonly ordered: boolean;
}

/**
 * Applies deltas to the store and says what the handlers have to be told.
 *
 * Guarantees:
 * - What is stored decides between add and update, not the type of the delta.
 * - A relist is one step of the store; its deletions come first, then the rest in list order.
 * - An object with the resource version that is stored already is no change: the stored one stays, nobody is told.
 * - Of an object that a relist shows but that cannot be read, the known state stays until the next one that can.
 * - A name with another uid is another object: its predecessor is deleted first.
 * - A deletion is always told, also of an object that was never seen.
 * - `self` is said of events only: what a list shows may be more than one change.
 * @see client-go tools/cache/controller.go processDeltas, processReplacedAllInfo @ 32ce75a7
 */
export class DeltaProcessor<V extends HasMetadata> {
  readonly #store: ThreadSafeStore<V>;
  readonly #overlay: WriteOverlay<V>;
  readonly #ordered: boolean;
  /** Keys with a state that the restored server has undone; their version may come again and stand for something else. */
  readonly #undone = new Set<string>();
  #initial = false;
  #eventsApplied = 0;
  #batches: NotificationBatch<V>[] = [];
  #changes: Notification<V>[] = [];
  #resyncs: Notification<V>[] = [];

  constructor({ store, overlay, ordered }: DeltaProcessorOptions<V>) {
    this.#store = store;
    this.#overlay = overlay;
    this.#ordered = ordered;
  }

  /** Events of watches that were applied. */
  get eventsApplied(): number {
    return this.#eventsApplied;
  }

  /** Applies the deltas, oldest first, and returns what follows from them, in order. */
  process(deltas: readonly Delta<V>[], { initial }: PopInfo): readonly NotificationBatch<V>[] {
    const versionBefore = this.#store.resourceVersion;
    this.#initial = initial;
    for (const delta of deltas) this.#apply(delta);
    if (!this.#ordered) this.#store.bookmark(versionBefore);
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
        return;
    }
  }

  #set({ type, key, object }: ObjectDelta<V>): void {
    const replaced = type === 'Replaced';
    if (!replaced) this.#eventsApplied += 1;
    const old = this.#store.get(key);
    if (old !== undefined && !this.#undone.delete(key) && isUnchanged(old, object)) return;
    this.#store.add(key, object);
    this.#overlay.observed(key, object, false);
    const recreated = old !== undefined && isRecreated(old, object);
    if (recreated) this.#tell(lastSeen(key, old));
    const origin = replaced ? 'other' : this.#originOf(key, object);
    this.#tell(this.#present(key, recreated ? undefined : old, object, origin));
  }

  #delete({ key, object, finalStateUnknown }: DeletedDelta<V>): void {
    if (!finalStateUnknown) this.#eventsApplied += 1;
    const stored = this.#store.delete(key, object);
    this.#undone.delete(key);
    const last = object ?? stored;
    if (last === undefined) return;
    this.#overlay.observed(key, last, true);
    const origin = finalStateUnknown ? 'other' : this.#originOfDeletion(key, last);
    this.#tell(new DeleteNotification(key, last, finalStateUnknown, origin));
  }

  #originOf(key: string, { metadata }: V): Origin {
    return this.#overlay.isOwn(key, metadata?.resourceVersion ?? '') ? 'self' : 'other';
  }

  #originOfDeletion(key: string, last: V): Origin {
    const uid = last.metadata?.uid;
    if (uid !== undefined && this.#overlay.isOwnDeletion(key, uid)) return 'self';
    return this.#originOf(key, last);
  }

  #replaceAll({ contents, unreadable, resourceVersion }: ReplacedAllDelta<V>): void {
    const next = new Map<string, V>();
    const present: Notification<V>[] = [];
    for (const [key, old] of this.#store.entries()) {
      if (contents.has(key)) continue;
      if (unreadable.has(key)) next.set(key, old);
      else this.#tell(lastSeen(key, old));
      if (unreadable.has(key) && isUndone(old, resourceVersion)) this.#undone.add(key);
      else this.#undone.delete(key);
    }
    for (const [key, object] of contents) {
      const old = this.#store.get(key);
      if (old !== undefined && !this.#undone.delete(key) && isUnchanged(old, object)) {
        next.set(key, old);
        continue;
      }
      next.set(key, object);
      const recreated = old !== undefined && isRecreated(old, object);
      if (recreated) this.#tell(lastSeen(key, old));
      present.push(this.#present(key, recreated ? undefined : old, object, 'other'));
    }
    this.#store.replace(next, resourceVersion);
    this.#overlay.replaced(resourceVersion);
    for (const notification of present) this.#tell(notification);
  }

  #resync(key: string, object: V): void {
    if (this.#changes.length > 0) this.#closeBatch();
    this.#resyncs.push(new UpdateNotification(key, object, object, true, 'other'));
  }

  #present(key: string, old: V | undefined, object: V, origin: Origin): Notification<V> {
    return old === undefined
      ? new AddNotification(key, object, this.#initial, origin)
      : new UpdateNotification(key, old, object, false, origin);
  }

  #tell(notification: Notification<V>): void {
    if (this.#resyncs.length > 0) this.#closeBatch();
    this.#changes.push(notification);
  }

  /** Resyncs go to some of the handlers, so they are batches of their own. */
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

function lastSeen<V extends HasMetadata>(key: string, object: V): DeleteNotification<V> {
  return new DeleteNotification(key, object, true, 'other');
}

/** Without a resource version, or with another uid, nothing says that it is the same. */
function isUnchanged(old: HasMetadata, object: HasMetadata): boolean {
  const [before, after] = [old.metadata, object.metadata];
  if (before?.resourceVersion === undefined || before.resourceVersion === '') return false;
  return before.resourceVersion === after?.resourceVersion && before.uid === after.uid;
}

/** A server that was restored has given up what is newer than its list; its versions will stand for something else. */
function isUndone({ metadata }: HasMetadata, listed: string): boolean {
  const { resourceVersion } = metadata ?? {};
  return resourceVersion !== undefined && isOlder(listed, resourceVersion);
}

function isRecreated(old: HasMetadata, object: HasMetadata): boolean {
  const [before, after] = [old.metadata?.uid, object.metadata?.uid];
  return before !== undefined && after !== undefined && before !== after;
}
