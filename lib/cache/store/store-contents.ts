import type { HasMetadata } from '../../meta/object.ts';
import { indexValuesOf, type IndexFunc, type IndexFunctionError } from './indexers.ts';
import {
  InvertedIndex,
  NO_REST,
  NOWHERE,
  objectsOf,
  StoredEntry,
  valuesAt,
  type Place,
} from './inverted-index.ts';

/** An index as it was added. If the name is added again later, that is another index. */
export interface IndexDefinition<V> {
  readonly name: string;
  readonly indexFunc: IndexFunc<V>;
}

/** The values of one object, in the order of the indexes. */
export type IndexValues = readonly (readonly string[])[];

const NO_VALUES: readonly string[] = Object.freeze([]);
const NO_INDEXES: IndexValues = Object.freeze([]);

/**
 * Runs index functions on one object. If a function fails, the object gets no value in its index, and the error is added to `failures`.
 */
export function valuesOf<V>(
  definitions: readonly IndexDefinition<V>[],
  key: string,
  object: V,
  failures: IndexFunctionError[],
): IndexValues {
  if (definitions.length === 0) return NO_INDEXES;
  if (definitions.length === 1) {
    return [valuesIn(definitions[0] as IndexDefinition<V>, key, object, failures)];
  }
  return definitions.map((definition) => valuesIn(definition, key, object, failures));
}

function valuesIn<V>(
  { name, indexFunc }: IndexDefinition<V>,
  key: string,
  object: V,
  failures: IndexFunctionError[],
): readonly string[] {
  try {
    return indexValuesOf(name, indexFunc, object, key);
  } catch (error) {
    failures.push(error as IndexFunctionError);
    return NO_VALUES;
  }
}

/** The content of a store at one moment: objects by key and by index, and their counts. It has no checks and reports. */
export class StoreContents<V extends HasMetadata> {
  readonly #entries = new Map<string, StoredEntry<V>>();
  /** The order of the definitions is the order of the places of an entry. */
  #definitions: readonly IndexDefinition<V>[];
  #indexes: readonly InvertedIndex<V>[];
  /** The other places of an entry that is in no index yet. */
  #unfiled: readonly Place<V>[];
  #list: readonly V[] | undefined;
  #bytes = 0;

  constructor(definitions: readonly IndexDefinition<V>[]) {
    this.#definitions = definitions;
    this.#indexes = definitions.map(() => new InvertedIndex<V>());
    this.#unfiled = definitions.slice(1).map(() => NOWHERE);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The sum of `sizeBytes` of the objects when they were stored. */
  get bytes(): number {
    return this.#bytes;
  }

  get definitions(): readonly IndexDefinition<V>[] {
    return this.#definitions;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.object;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  list(): readonly V[] {
    this.#list ??= objectsOf(this.#entries.values());
    return this.#list;
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  entries(): IterableIterator<StoredEntry<V>> {
    return this.#entries.values();
  }

  /** The index at this place of `definitions`. */
  index(position: number): InvertedIndex<V> {
    return this.#indexes[position] as InvertedIndex<V>;
  }

  /** The index values of an object, in all indexes; undefined for a key that is not stored. */
  valuesOf(key: string): IndexValues | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#indexes.map((_, position) => valuesAt(placeOf(entry, position)));
  }

  /** Stores an object under its index values. Returns the replaced object. */
  set(key: string, object: V, values: IndexValues): V | undefined {
    let entry = this.#entries.get(key);
    const before = entry?.object;
    if (entry === undefined) {
      entry = new StoredEntry(key, object);
      this.#entries.set(key, entry);
    }
    entry.object = object;
    const bytes = sizeOf(object);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    this.#list = undefined;
    this.#file(entry, values);
    return before;
  }

  /** Removes an object, and returns it. */
  remove(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#list = undefined;
    for (const [position, index] of this.#indexes.entries()) {
      index.unfile(entry, placeOf(entry, position));
    }
    return entry.object;
  }

  /** Sets other indexes. Existing ones are not changed; the functions of new ones run on every object. */
  reindex(definitions: readonly IndexDefinition<V>[], failures: IndexFunctionError[]): void {
    if (definitions === this.#definitions) return;
    const origins = definitions.map((definition) => this.#definitions.indexOf(definition));
    const indexes = origins.map((origin) => this.#indexes[origin] ?? new InvertedIndex<V>());
    for (const entry of this.#entries.values()) {
      const places = origins.map((origin, position): Place<V> => {
        if (origin >= 0) return placeOf(entry, origin);
        const definition = definitions[position] as IndexDefinition<V>;
        const values = valuesIn(definition, entry.key, entry.object, failures);
        return (indexes[position] as InvertedIndex<V>).file(entry, NOWHERE, values);
      });
      entry.first = places[0] ?? NOWHERE;
      entry.rest = places.length > 1 ? places.slice(1) : NO_REST;
    }
    this.#definitions = definitions;
    this.#indexes = indexes;
    this.#unfiled = definitions.slice(1).map(() => NOWHERE);
  }

  #file(entry: StoredEntry<V>, values: IndexValues): void {
    const indexes = this.#indexes;
    const count = indexes.length;
    if (count === 0) return;
    entry.first = this.index(0).file(entry, entry.first, values[0] ?? NO_VALUES);
    if (count === 1) return;
    // Allocated with its final size: an array that grows reserves room for 17 places.
    if (entry.rest === NO_REST) entry.rest = this.#unfiled.slice();
    const { rest } = entry;
    for (let position = 1; position < count; position += 1) {
      const before = rest[position - 1] as Place<V>;
      const after = this.index(position).file(entry, before, values[position] ?? NO_VALUES);
      if (after !== before) rest[position - 1] = after;
    }
  }
}

function placeOf<V>(entry: StoredEntry<V>, position: number): Place<V> {
  return position === 0 ? entry.first : (entry.rest[position - 1] ?? NOWHERE);
}

function sizeOf(object: HasMetadata): number {
  const { sizeBytes } = object as { readonly sizeBytes?: unknown };
  return typeof sizeBytes === 'number' ? sizeBytes : 0;
}
