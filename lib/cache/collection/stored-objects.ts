import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import type { RelistConsumer } from '../delta/incoming-relist.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { runToEnd } from '../../kernel/time/sliced-steps.ts';

export interface StoredObjectsOptions<V extends HasMetadata> {
  readonly store: ThreadSafeStore<V>;
  /** Of what is stored. @defaultValue none */
  readonly memory?: ObjectMemory<V> | undefined;
}

/**
 * Writes objects to a store and retains or releases their memory. It is the only place that recognises unchanged objects.
 *
 * Guarantees: an object is retained before its index functions run, and released after it has left the store.
 */
export class StoredObjects<V extends HasMetadata> implements RelistConsumer<V> {
  /** For reads only; writes use the methods of this class. */
  readonly store: ThreadSafeStore<V>;
  readonly #memory: ObjectMemory<V> | undefined;
  /** Keys with a state that a restored server has lost; its version may be used again for another state. */
  #undone: Set<string> = new Set();
  #displaced: Iterator<void> | undefined;

  constructor({ store, memory }: StoredObjectsOptions<V>) {
    this.store = store;
    this.#memory = memory;
  }

  /**
   * Releases the objects that the last relist displaced, one object a step; undefined when all are released. The next write
   * releases the rest.
   */
  get displaced(): Iterator<void> | undefined {
    return this.#displaced;
  }

  /** Whether `object` is the same state as `stored`. False without a resource version or with another uid. */
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

  pin(): Disposable | undefined {
    return this.#memory?.pin('body');
  }

  retain(object: V): V {
    return this.#memory?.retain(object) ?? object;
  }

  /** Does nothing if `object` is stored under the key. */
  release(key: string, object: V): void {
    if (this.store.get(key) !== object) this.#memory?.release(object, 'unused');
  }

  /** Returns the stored value: `object` or a copy. */
  set(key: string, object: V): V {
    this.#releaseDisplaced();
    this.#undone.delete(key);
    const retained = this.retain(object);
    const before = this.store.add(key, retained);
    if (before !== undefined && before !== retained) this.#memory?.release(before, 'left');
    return retained;
  }

  /** `object`, its last state, has the resource version of the deletion. Returns the deleted object. */
  delete(key: string, object: V | undefined): V | undefined {
    this.#releaseDisplaced();
    this.#undone.delete(key);
    const stored = this.store.delete(key, object);
    if (stored !== undefined) this.#memory?.release(stored, 'left');
    return stored;
  }

  /** As `ThreadSafeStore.begin`; objects have to be retained before the transaction sets them. */
  begin(): StoreTransaction<V> {
    this.#releaseDisplaced();
    return this.store.begin();
  }

  /** As `ThreadSafeStore.commit`. `undone` has the keys whose stored state a restored server has lost. */
  commit(transaction: StoreTransaction<V>, resourceVersion: string, undone: Set<string>): void {
    this.#undone = undone;
    this.#displaced = this.#releaseAll(this.store.commit(transaction, resourceVersion));
  }

  *#releaseAll(displaced: Iterable<V | undefined>): Generator<void> {
    for (const object of displaced) {
      if (object !== undefined) this.#memory?.release(object, 'left');
      yield;
    }
    this.#displaced = undefined;
  }

  #releaseDisplaced(): void {
    if (this.#displaced !== undefined) runToEnd(this.#displaced);
  }
}
