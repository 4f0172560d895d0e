import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { RelistConsumer } from '../../delta/incoming-relist.ts';
import type { ObjectKeeper } from '../../memory/cache-keeper.ts';
import type { StoreTransaction } from '../../store/store-transaction.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import { runToEnd } from './sliced-steps.ts';

export interface StoredObjectsOptions<V extends HasMetadata> {
  readonly store: ThreadSafeStore<V>;
  /** Keeps what is stored, and releases what has left or comes to nothing. @defaultValue none */
  readonly keeper?: ObjectKeeper<V> | undefined;
}

/**
 * The writes of a store together with the memory that its objects take. The one place that tells unchanged objects.
 *
 * Guarantees: an object is kept before its index functions run, and released once it is in the store no more.
 */
export class StoredObjects<V extends HasMetadata> implements RelistConsumer<V> {
  /** To be read; writes go through the methods here. */
  readonly store: ThreadSafeStore<V>;
  readonly #keeper: ObjectKeeper<V> | undefined;
  /** Keys with a state that the restored server has undone; their version may come again and stand for something else. */
  #undone: Set<string> = new Set();
  #displaced: Iterator<void> | undefined;

  constructor({ store, keeper }: StoredObjectsOptions<V>) {
    this.store = store;
    this.#keeper = keeper;
  }

  /**
   * Releases what the last relist displaced, one object a step; undefined when all of it is released. The next write does
   * what remains.
   */
  get displaced(): Iterator<void> | undefined {
    return this.#displaced;
  }

  /** Whether `object` is what is `stored` under the key. Without a resource version, or with another uid, nothing says so. */
  isUnchanged(key: string, stored: V | undefined, object: V): stored is V {
    if (stored === undefined || this.#undone.has(key)) return false;
    const before = identityOf(stored);
    const { resourceVersion } = before;
    if (resourceVersion === undefined || resourceVersion === '') return false;
    if (stored === object) return true;
    const after = identityOf(object);
    return resourceVersion === after.resourceVersion && before.uid === after.uid;
  }

  unchanged(key: string, object: V): V | undefined {
    const stored = this.store.get(key);
    return this.isUnchanged(key, stored, object) ? stored : undefined;
  }

  pin(): () => void {
    return this.#keeper?.hold?.() ?? ((): void => {});
  }

  retain(object: V): void {
    this.#keeper?.keep(object);
  }

  /** Harmless for what is stored under the key. */
  release(key: string, object: V): void {
    if (this.store.get(key) !== object) this.#keeper?.release(object, 'unused');
  }

  set(key: string, object: V): void {
    this.#releaseDisplaced();
    this.#undone.delete(key);
    this.#keeper?.keep(object);
    const before = this.store.add(key, object);
    if (before !== undefined && before !== object) this.#keeper?.release(before, 'left');
  }

  /** `object`, its last state, carries the resource version of the deletion. Returns what was stored. */
  delete(key: string, object: V | undefined): V | undefined {
    this.#releaseDisplaced();
    this.#undone.delete(key);
    const stored = this.store.delete(key, object);
    if (stored !== undefined) this.#keeper?.release(stored, 'left');
    return stored;
  }

  /** As `ThreadSafeStore.begin`; what a transaction sets is to be retained first. */
  begin(): StoreTransaction<V> {
    this.#releaseDisplaced();
    return this.store.begin();
  }

  /** As `ThreadSafeStore.commit`. `undone` are the keys whose stored state the server has undone. */
  commit(transaction: StoreTransaction<V>, resourceVersion: string, undone: Set<string>): void {
    this.#undone = undone;
    this.#displaced = this.#releaseAll(this.store.commit(transaction, resourceVersion));
  }

  *#releaseAll(displaced: Iterable<V | undefined>): Generator<void> {
    for (const object of displaced) {
      if (object !== undefined) this.#keeper?.release(object, 'left');
      yield;
    }
    this.#displaced = undefined;
  }

  #releaseDisplaced(): void {
    if (this.#displaced !== undefined) runToEnd(this.#displaced);
  }
}
