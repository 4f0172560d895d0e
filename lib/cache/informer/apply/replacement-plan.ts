import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isOlder } from '../../../meta/version-order.ts';
import type { ReplacedAllDelta } from '../../delta/delta.ts';
import type { ObjectKeeper } from '../../store/object-keeper.ts';
import type { PreparedWrites } from '../../store/prepared-writes.ts';
import type { StoreDraft } from '../../store/store-draft.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../handlers/notification.ts';

/** More than these, applied one by one, would take too long for one step. */
const MOST_IN_PLACE = 2000;

/** Objects between two looks at the clock. */
const CLOCK_EVERY = 16;

export interface ReplacementPlanOptions<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  readonly store: ThreadSafeStore<V>;
  readonly keeper: ObjectKeeper<V> | undefined;
  /** Keys with a state that the restored server has undone. */
  readonly undone: ReadonlySet<string>;
  /** It belongs to the state at the start. */
  readonly initial: boolean;
  /** Most changes that are applied to the store in place; with more it is swapped for a draft. @defaultValue 2000 */
  readonly mostInPlace?: number | undefined;
}

/**
 * What a relist makes of a store: worked out over as many tasks as it takes, and then applied in one step. Until then nothing
 * is to be seen of it; nobody else may write to the store in between.
 */
export class ReplacementPlan<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  /** Keys whose stored state the server has undone, now that the list is known. */
  readonly undone: Set<string> = new Set();
  readonly #options: ReplacementPlanOptions<V>;
  readonly #steps: Iterator<void>;
  readonly #deletions: Notification<V>[] = [];
  readonly #present: Notification<V>[] = [];
  /** What the list lacks. */
  readonly #gone: string[] = [];
  /** What could not be read and stays as it is. */
  readonly #unread: string[] = [];
  /** What is new or has changed, in list order. */
  readonly #changed: string[] = [];
  #draft: StoreDraft<V> | undefined;
  #prepared: PreparedWrites<V> | undefined;

  constructor(options: ReplacementPlanOptions<V>) {
    this.#options = options;
    this.relist = options.relist;
    this.#steps = this.#plan();
  }

  /** Looks at up to `limit` objects, or until `isLate`; whether the plan is complete. */
  work(limit: number, isLate: () => boolean = (): boolean => false): boolean {
    for (let looked = 1; looked <= limit; looked += 1) {
      if (this.#steps.next().done === true) return true;
      if (looked % CLOCK_EVERY === 0 && isLate()) return false;
    }
    return false;
  }

  /** Applies the complete plan to the store, and hands over what handlers have to be told: deletions, the rest in list order. */
  apply(): Notification<V>[] {
    const { store } = this.#options;
    const { resourceVersion } = this.relist;
    if (this.#draft !== undefined) store.adopt(this.#draft, resourceVersion);
    else store.apply(this.#prepared ?? store.prepare(), resourceVersion);
    return this.#deletions.length === 0 ? this.#present : this.#deletions.concat(this.#present);
  }

  /** Ends a step with each object. */
  *#plan(): Generator<void> {
    const { store, mostInPlace = MOST_IN_PLACE } = this.#options;
    if (store.size === 0) {
      yield* this.#takeAll();
      return;
    }
    yield* this.#findGone();
    yield* this.#findChanged();
    if (this.#gone.length + this.#changed.length > mostInPlace) yield* this.#makeDraft();
    else yield* this.#prepareWrites();
  }

  /** There is nothing to compare with. */
  *#takeAll(): Generator<void> {
    const { store, initial } = this.#options;
    const draft = store.draft();
    this.#draft = draft;
    for (const [key, object] of this.relist.contents) {
      draft.set(key, object);
      this.#present.push(new AddNotification(key, object, initial, 'other'));
      yield;
    }
  }

  *#findGone(): Generator<void> {
    const { contents, unreadable, resourceVersion } = this.relist;
    for (const [key, old] of this.#options.store.entries()) {
      yield;
      if (contents.has(key)) continue;
      if (unreadable.has(key)) {
        this.#unread.push(key);
        if (isUndone(old, resourceVersion)) this.undone.add(key);
      } else {
        this.#gone.push(key);
        this.#deletions.push(lastSeen(key, old));
      }
    }
  }

  *#findChanged(): Generator<void> {
    const { store, keeper, undone, initial } = this.#options;
    for (const [key, object] of this.relist.contents) {
      yield;
      const old = store.get(key);
      if (old !== undefined && !undone.has(key) && isUnchanged(old, object)) {
        if (old !== object) keeper?.release(object, 'unused');
        continue;
      }
      this.#changed.push(key);
      if (old !== undefined && !isRecreated(old, object)) {
        this.#present.push(new UpdateNotification(key, old, object, false, 'other'));
        continue;
      }
      if (old !== undefined) this.#deletions.push(lastSeen(key, old));
      this.#present.push(new AddNotification(key, object, initial, 'other'));
    }
  }

  *#makeDraft(): Generator<void> {
    const { store } = this.#options;
    const draft = store.draft();
    this.#draft = draft;
    for (const key of this.#unread) {
      draft.set(key, store.get(key) as V);
      yield;
    }
    let changes = 0;
    for (const [key, object] of this.relist.contents) {
      const isChanged = this.#changed[changes] === key;
      if (isChanged) changes += 1;
      draft.set(key, isChanged ? object : (store.get(key) as V));
      yield;
    }
  }

  *#prepareWrites(): Generator<void> {
    const prepared = this.#options.store.prepare();
    this.#prepared = prepared;
    for (const key of this.#gone) prepared.delete(key);
    for (const key of this.#changed) {
      prepared.set(key, this.relist.contents.get(key) as V);
      yield;
    }
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
