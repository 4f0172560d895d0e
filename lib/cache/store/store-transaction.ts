import { assert } from '../../kernel/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { IndexFunctionError } from './indexers.ts';
import type { StoredEntry } from './inverted-index.ts';
import {
  StoreContents,
  valuesOf,
  type IndexDefinition,
  type IndexValues,
} from './store-contents.ts';

/** A write that waits to be applied in place. */
interface PendingWrite<V> {
  readonly key: string;
  /** Undefined for a deletion. */
  readonly object: V | undefined;
  readonly values: IndexValues;
}

export interface StoreTransactionOptions<V extends HasMetadata> {
  /** The content of the store whenever it is asked. */
  readonly present: () => StoreContents<V>;
  /** Most writes that are applied to the present content, one by one. */
  readonly mostInPlace: number;
}

/** What a transaction makes of its store. */
export interface TransactionResult<V extends HasMetadata> {
  readonly contents: StoreContents<V>;
  readonly displaced: IterableIterator<V | undefined>;
  readonly failures: readonly IndexFunctionError[];
}

const DELETED: IndexValues = [];

/**
 * Writes that take effect together, put together over as many tasks as it takes. `ThreadSafeStore.begin` makes one.
 *
 * Guarantees: index functions run in `set`, once on each object, and not on objects that stay. Nothing is visible before
 * `ThreadSafeStore.commit`. Few writes are applied to the present content; with many a new content is built beside it, which
 * takes its place in one step.
 *
 * Not guaranteed: isolation. Nothing else may write to the store between `begin` and `commit`.
 */
export class StoreTransaction<V extends HasMetadata> {
  readonly #options: StoreTransactionOptions<V>;
  readonly #definitions: readonly IndexDefinition<V>[];
  readonly #failures: IndexFunctionError[] = [];
  /** Objects that this transaction replaced or removed, and their keys. */
  readonly #displaced = new Map<V, string>();
  /** Until there are too many of them. */
  #writes: PendingWrite<V>[] = [];
  /** The new content, once it is being built. */
  #contents: StoreContents<V> | undefined;
  /** Keys that are not brought over to the new content. */
  readonly #deleted = new Set<string>();
  /** Entries of the present content that `prepare` has not looked at. */
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

  /** Removes an object; harmless when there is none. */
  delete(key: string): void {
    this.#check();
    if (this.#contents === undefined) this.#add({ key, object: undefined, values: DELETED });
    else this.#remove(this.#contents, key);
  }

  /**
   * Does what is left to do before the commit, one object a step, once all writes are known. The commit does what remains.
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

  /** For the store alone: ends the transaction, and applies it unless there is a new content. */
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

  /** The values in the indexes as they are now, which may not be those for which the write was made. */
  #valuesIn({ definitions }: StoreContents<V>, write: PendingWrite<V>): IndexValues {
    const { key, object, values } = write;
    if (object === undefined || definitions === this.#definitions) return values;
    return definitions.map((definition) => {
      const known = values[this.#definitions.indexOf(definition)];
      return known ?? (valuesOf([definition], key, object, this.#failures)[0] as readonly string[]);
    });
  }

  /** One step an object that may have left; undefined for one that stays. */
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
