import type { Indexers } from './indexers.ts';

/**
 * The read methods of an indexed cache. Every result shows one state. Arrays must not be modified: without a change, all
 * callers get the same array.
 */
export interface StoreReader<V> {
  /** Number of objects. */
  readonly size: number;
  /** The resource version of the last change that was applied; empty before the first. */
  readonly resourceVersion: string;
  get(key: string): V | undefined;
  has(key: string): boolean;
  /** All objects, in no promised order. */
  list(): readonly V[];
  /** All keys, in no promised order. */
  keys(): string[];
  /** The names of the indexes. */
  readonly indexNames: readonly string[];
  /**
   * The objects that have `value` in an index; none is an empty array.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  byIndex(index: string, value: string): readonly V[];
  /**
   * The objects that share at least one value of an index with `probe`, each once.
   * @throws {ListwatchError} code UNKNOWN_INDEX; INDEX_FUNCTION when the index function fails on the probe.
   */
  index(index: string, probe: NoInfer<V>): readonly V[];
  /**
   * The keys that have `value` in an index, ascending.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  indexKeys(index: string, value: string): string[];
  /**
   * All values that occur in an index.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  indexValues(index: string): string[];
  /**
   * Adds indexes, and indexes the stored objects. All indexes are added, or none.
   * @throws {ListwatchError} code INDEX_CONFLICT when one of the names is taken.
   */
  addIndexers(indexers: Indexers<V>): void;
  /**
   * Removes indexes; the objects stay. All indexes are removed, or none.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  removeIndexers(names: readonly string[]): void;
}
