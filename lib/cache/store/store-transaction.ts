import { assert } from '../../kernel/failure/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError } from './indexers.ts';
import type { StoredEntry } from './inverted-index.ts';
import {
  StoreContents,
  valuesOf,
  type IndexDefinition,
  type IndexValues,
} from './store-contents.ts';

/** A write that will be applied to the present content. */
interface PendingWrite<V> {
  readonly key: string;
  /** Undefined for a deletion. */
  readonly object: V | undefined;
  readonly values: IndexValues;
}

export interface StoreTransactionOptions<V extends HasMetadata> {
  /** Returns the present content of the store. */
  readonly present: () => StoreContents<V>;
  /** The most writes that are applied to the present content, one by one. */
  readonly mostInPlace: number;
}

/** The result of a transaction. */
export interface TransactionResult<V extends HasMetadata> {
  readonly contents: StoreContents<V>;
  readonly displaced: IterableIterator<V | undefined>;
  readonly failures: readonly IndexFunctionError[];
}

const DELETED: IndexValues = [];

/**
 * Writes that take effect together. They may be added in many tasks. `ThreadSafeStore.begin` makes a transaction.
 *
 * Guarantees: index functions run in `set`, once on each object, and not on unchanged objects. Nothing is visible before
 * `ThreadSafeStore.commit`. A few writes are applied to the present content; for many writes a new content is built, which
 * replaces the present one in one step.
 *
 * Not guaranteed: isolation. Nothing else may write to the store between `begin` and `commit`.
 */
export class StoreTransaction<V extends HasMetadata> {
  readonly #options: StoreTransactionOptions<V>;
  readonly #definitions: readonly IndexDefinition<V>[];
  readonly #failures: IndexFunctionError[] = [];
  /** Objects that this transaction replaced or removed, and their keys. */
  readonly #displaced = new Map<V, string>();
  /** The writes, until there are too many of them. */
  #writes: PendingWrite<V>[] = [];
  /** The new content, once it is being built. */
  #contents: StoreContents<V> | undefined;
  /** Keys that are not copied to the new content. */
  readonly #deleted = new Set<string>();
  /** Entries of the present content that `prepare` has not processed. */
  #rest: IterableIterator<StoredEntry<V>> | undefined;
  #open = true;

  constructor(options: StoreTransactionOptions<V>) {
    const present = options.present();
    this.#options = options;
    this.#definitions = present.definitions;
    if (present.size === 0) this.#contents = new StoreContents(present.definitions);
  }

  /** Stores an object, new or not. */
  set(key: string, object: V): void {
    this.#check();
    const values = valuesOf(this.#definitions, key, object, this.#failures);
    if (this.#contents === undefined) this.#add({ key, object, values });
    else this.#write(this.#contents, key, object, values);
  }

  /** Removes an object, if there is one. */
  delete(key: string): void {
    this.#check();
    if (this.#contents === undefined) this.#add({ key, object: undefined, values: DELETED });
    else this.#remove(this.#contents, key);
  }

  /**
   * Does the remaining work before the commit, one object a step, after all writes were added. The commit does the rest.
   */
  *prepare(): IterableIterator<void> {
    const contents = this.#contents;
    if (contents === undefined) return;
    const present = this.#options.present();
    this.#rest ??= present.entries();
    for (const { key, object } of this.#rest) {
      if (!contents.has(key) && !this.#deleted.has(key)) {
        const known = present.definitions === this.#definitions ? present.valuesOf(key) : undefined;
        const values = known ?? valuesOf(this.#definitions, key, object, this.#failures);
        contents.set(key, object, values);
      }
      yield;
    }
  }

  /** Only for the store: ends the transaction, and applies it unless there is a new content. */
  finish(): TransactionResult<V> {
    this.#check();
    const rest = this.prepare();
    while (rest.next().done !== true);
    this.#open = false;
    const present = this.#options.present();
    const contents = this.#contents ?? present;
    if (contents === present) this.#applyTo(present);
    else contents.reindex(present.definitions, this.#failures);
    return {
      contents,
      displaced: this.#displacedFrom(present, contents),
      failures: this.#failures,
    };
  }

  #check(): void {
    assert(this.#open, 'a transaction of a store was used after its commit');
  }

  #add(write: PendingWrite<V>): void {
    this.#writes.push(write);
    if (this.#writes.length <= this.#options.mostInPlace) return;
    const contents = new StoreContents(this.#definitions);
    this.#contents = contents;
    for (const { key, object, values } of this.#writes) {
      if (object === undefined) this.#remove(contents, key);
      else this.#write(contents, key, object, values);
    }
    this.#writes = [];
  }

  #write(contents: StoreContents<V>, key: string, object: V, values: IndexValues): void {
    const before = contents.set(key, object, values);
    if (before !== undefined && before !== object) this.#displaced.set(before, key);
  }

  #remove(contents: StoreContents<V>, key: string): void {
    const before = contents.remove(key);
    if (before !== undefined) this.#displaced.set(before, key);
    this.#deleted.add(key);
  }

  #applyTo(present: StoreContents<V>): void {
    const writes = this.#writes.map((write) => ({ write, values: this.#valuesIn(present, write) }));
    for (const { write, values } of writes) {
      const { key, object } = write;
      if (object === undefined) this.#remove(present, key);
      else this.#write(present, key, object, values);
    }
  }

  /** The values in the present indexes; indexes may have changed since the write was added. */
  #valuesIn({ definitions }: StoreContents<V>, write: PendingWrite<V>): IndexValues {
    const { key, object, values } = write;
    if (object === undefined || definitions === this.#definitions) return values;
    return definitions.map((definition) => {
      const known = values[this.#definitions.indexOf(definition)];
      return known ?? (valuesOf([definition], key, object, this.#failures)[0] as readonly string[]);
    });
  }

  /** One step for each object that may have been displaced; undefined for an object that stays. */
  *#displacedFrom(
    before: StoreContents<V>,
    after: StoreContents<V>,
  ): IterableIterator<V | undefined> {
    const displaced = this.#displaced;
    for (const [object, key] of displaced) {
      yield after.get(key) === object ? undefined : object;
    }
    if (before === after) return;
    for (const { key, object } of before.entries()) {
      yield after.get(key) === object || displaced.has(object) ? undefined : object;
    }
  }
}
