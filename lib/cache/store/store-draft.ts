import { assert } from '../../kernel/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError } from './indexers.ts';
import type { ObjectKeeper } from './object-keeper.ts';
import { StoreContents, valuesOf, type IndexDefinition } from './store-contents.ts';

/**
 * A whole new content of a store, built beside the present one over as many tasks as it takes. Nobody sees it before the
 * store adopts it.
 *
 * An object that is stored already under its key keeps its index values; its index functions do not run again.
 */
export class StoreDraft<V extends HasMetadata> {
  /** For the store alone. */
  readonly contents: StoreContents<V>;
  /** Failures of index functions so far; reported when it is adopted. */
  readonly failures: IndexFunctionError[] = [];
  readonly #present: () => StoreContents<V>;
  readonly #definitions: readonly IndexDefinition<V>[];
  readonly #keeper: ObjectKeeper<V> | undefined;
  #open = true;

  /** Made by `ThreadSafeStore.draft`; `present` is what the store holds whenever it is asked. */
  constructor(present: () => StoreContents<V>, keeper: ObjectKeeper<V> | undefined) {
    this.#present = present;
    this.#definitions = present().definitions;
    this.#keeper = keeper;
    this.contents = new StoreContents(this.#definitions);
  }

  get size(): number {
    return this.contents.size;
  }

  set(key: string, object: V): void {
    assert(this.#open, 'a draft of a store was written to after its end');
    const present = this.#present();
    const stays = present.get(key) === object;
    if (!stays) this.#keeper?.keep(object);
    const known =
      stays && present.definitions === this.#definitions ? present.valuesOf(key) : undefined;
    const values = known ?? valuesOf(this.#definitions, key, object, this.failures);
    const before = this.contents.set(key, object, values);
    if (before !== undefined && before !== object) this.#release(key, before);
  }

  /** It will not be adopted: lets go of what it alone has. Harmless after it was adopted, and again. */
  discard(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#keeper === undefined) return;
    for (const { key, object } of this.contents.entries()) this.#release(key, object);
  }

  /** For the store alone: it adopts this. */
  close(): void {
    assert(this.#open, 'a draft of a store was adopted after its end');
    this.#open = false;
  }

  #release(key: string, object: V): void {
    if (this.#present().get(key) !== object) this.#keeper?.release(object, 'unused');
  }
}
