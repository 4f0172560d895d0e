import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isOlder } from '../../../meta/version-order.ts';
import type { ReplacedAllDelta } from '../../delta/delta.ts';
import type { ObjectKeeper } from '../../memory/cache-keeper.ts';
import type { StoreTransaction } from '../../store/store-transaction.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../handlers/notification.ts';

/** Objects between two looks at the clock. */
const CLOCK_EVERY = 16;

export interface RelistChangesOptions<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  readonly store: ThreadSafeStore<V>;
  readonly keeper: ObjectKeeper<V> | undefined;
  /** Keys with a state that the restored server has undone. */
  readonly undone: ReadonlySet<string>;
  /** It belongs to the state at the start. */
  readonly initial: boolean;
}

/** What came of a relist. */
export interface AppliedRelist<V extends HasMetadata> {
  /** What handlers have to be told: deletions, then the rest in list order. */
  readonly notifications: Notification<V>[];
  /** As `ThreadSafeStore.commit` returns it. */
  readonly displaced: Iterator<V | undefined>;
}

/**
 * What a relist changes: a transaction of the store and the notifications, worked out over as many tasks as it takes, and
 * then applied in one step. Nothing else may write to the store in between.
 */
export class RelistChanges<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  /** Keys whose stored state the server has undone, now that the list is known. */
  readonly undone: Set<string> = new Set();
  readonly #options: RelistChangesOptions<V>;
  readonly #transaction: StoreTransaction<V>;
  readonly #steps: Iterator<void>;
  readonly #deletions: Notification<V>[] = [];
  readonly #present: Notification<V>[] = [];

  constructor(options: RelistChangesOptions<V>) {
    this.#options = options;
    this.relist = options.relist;
    this.#transaction = options.store.begin();
    this.#steps = this.#findAll();
  }

  /** Looks at up to `limit` objects, or until `isLate`; whether all is worked out. */
  work(limit: number, isLate: () => boolean = (): boolean => false): boolean {
    for (let looked = 1; looked <= limit; looked += 1) {
      if (this.#steps.next().done === true) return true;
      if (looked % CLOCK_EVERY === 0 && isLate()) return false;
    }
    return false;
  }

  /** Applies the relist to the store, once all is worked out. */
  apply(): AppliedRelist<V> {
    const displaced = this.#options.store.commit(this.#transaction, this.relist.resourceVersion);
    const [deletions, present] = [this.#deletions, this.#present];
    return {
      notifications: deletions.length === 0 ? present : deletions.concat(present),
      displaced,
    };
  }

  /** One object a step. */
  *#findAll(): Generator<void> {
    for (const [key, old] of this.#options.store.entries()) {
      if (!this.relist.contents.has(key)) this.#missing(key, old);
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
      if (isUndone(old, resourceVersion)) this.undone.add(key);
      return;
    }
    this.#transaction.delete(key);
    this.#deletions.push(lastSeen(key, old));
  }

  #listed(key: string, object: V): void {
    const { store, keeper, undone, initial } = this.#options;
    const old = store.get(key);
    if (old !== undefined && !undone.has(key) && isUnchanged(old, object)) {
      if (old !== object) keeper?.release(object, 'unused');
      return;
    }
    keeper?.keep(object);
    this.#transaction.set(key, object);
    if (old !== undefined && !isRecreated(old, object)) {
      this.#present.push(new UpdateNotification(key, old, object, false, 'other'));
      return;
    }
    if (old !== undefined) this.#deletions.push(lastSeen(key, old));
    this.#present.push(new AddNotification(key, object, initial, 'other'));
  }
}

/** The deletion of an object that was missed. */
export function lastSeen<V extends HasMetadata>(key: string, object: V): DeleteNotification<V> {
  return new DeleteNotification(key, object, true, 'other');
}

/** Without a resource version, or with another uid, nothing says that it is the same. */
export function isUnchanged(old: HasMetadata, object: HasMetadata): boolean {
  const [before, after] = [identityOf(old), identityOf(object)];
  const { resourceVersion } = before;
  if (resourceVersion === undefined || resourceVersion === '') return false;
  return old === object || (resourceVersion === after.resourceVersion && before.uid === after.uid);
}

export function isRecreated(old: HasMetadata, object: HasMetadata): boolean {
  const before = identityOf(old).uid;
  const after = identityOf(object).uid;
  return before !== undefined && after !== undefined && before !== after;
}

/** A server that was restored has given up what is newer than its list; its versions will stand for something else. */
function isUndone(object: HasMetadata, listed: string): boolean {
  const { resourceVersion } = identityOf(object);
  return resourceVersion !== undefined && isOlder(listed, resourceVersion);
}
