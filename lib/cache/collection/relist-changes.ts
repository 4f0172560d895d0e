import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isOlder } from '../../meta/versions/version-order.ts';
import type { ReplacedAllDelta } from '../delta/delta.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../informer/handlers/notification.ts';
import { runToEnd } from '../../kernel/time/sliced-steps.ts';
import type { StoredObjects } from './stored-objects.ts';

export interface RelistChangesOptions<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  readonly objects: StoredObjects<V>;
  /** Whether the relist belongs to the state at the start. */
  readonly initial: boolean;
}

/**
 * The changes of a relist: a transaction of the store and the notifications, worked out over as many tasks as it takes, and
 * then applied in one step. Nothing else may write to the store in between.
 */
export class RelistChanges<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  /** The steps that compute the changes, one object a step. */
  readonly steps: Iterator<void>;
  readonly #options: RelistChangesOptions<V>;
  readonly #transaction: StoreTransaction<V>;
  readonly #deletions: Notification<V>[] = [];
  readonly #present: Notification<V>[] = [];
  /** Keys whose stored state is newer than the restored server. */
  readonly #undone = new Set<string>();

  constructor(options: RelistChangesOptions<V>) {
    this.#options = options;
    this.relist = options.relist;
    this.#transaction = options.objects.begin();
    this.steps = this.#findAll();
  }

  /** Runs the remaining steps and applies the relist. Returns the notifications: deletions, then the rest in list order. */
  apply(): Notification<V>[] {
    runToEnd(this.steps);
    const { objects } = this.#options;
    const { scope } = this.relist;
    // The store is as new as the oldest of its parts, which bookmarks say.
    const version =
      scope === undefined ? this.relist.resourceVersion : objects.store.resourceVersion;
    objects.commit(this.#transaction, version, this.#undone);
    return this.#deletions.length === 0 ? this.#present : this.#deletions.concat(this.#present);
  }

  *#findAll(): Generator<void> {
    for (const [key, old] of this.#options.objects.store.entries()) {
      const { scope, contents } = this.relist;
      const isPart = scope === undefined || key.startsWith(scope);
      if (isPart && !contents.has(key)) this.#missing(key, old);
      yield;
    }
    for (const [key, object] of this.relist.contents) {
      this.#listed(key, object);
      yield;
    }
    yield* this.#transaction.prepare();
  }

  #missing(key: string, old: V): void {
    const { unreadable, resourceVersion } = this.relist;
    if (unreadable.has(key)) {
      if (isUndone(old, resourceVersion)) this.#undone.add(key);
      return;
    }
    this.#transaction.delete(key);
    this.#deletions.push(lastSeen(key, old));
  }

  #listed(key: string, listed: V): void {
    const { objects, initial } = this.#options;
    const old = objects.store.get(key);
    if (objects.isUnchanged(key, old, listed)) {
      objects.release(key, listed);
      return;
    }
    const object = objects.retain(listed);
    this.#transaction.set(key, object);
    if (old !== undefined && !isRecreated(old, object)) {
      this.#present.push(new UpdateNotification(key, old, object, false, 'other'));
      return;
    }
    if (old !== undefined) this.#deletions.push(lastSeen(key, old));
    this.#present.push(new AddNotification(key, object, initial, 'other'));
  }
}

/** The notification of a deletion that was missed. */
export function lastSeen<V extends HasMetadata>(key: string, object: V): DeleteNotification<V> {
  return new DeleteNotification(key, object, true, 'other');
}

export function isRecreated(old: HasMetadata, object: HasMetadata): boolean {
  const before = identityOf(old).uid;
  const after = identityOf(object).uid;
  return before !== undefined && after !== undefined && before !== after;
}

/** Whether a restored server has lost this state: it is newer than the list, and its version will be used for another state. */
function isUndone(object: HasMetadata, listed: string): boolean {
  const { resourceVersion } = identityOf(object);
  return resourceVersion !== undefined && isOlder(listed, resourceVersion);
}
