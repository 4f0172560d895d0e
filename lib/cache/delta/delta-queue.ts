import type { HasMetadata } from '../../meta/object.ts';
import type { Delta, KeyedDelta, ReplacedAllDelta } from './delta.ts';

/** The content of a relist with its keys computed. */
export interface Replacement<V extends HasMetadata> {
  /** By key, in list order. */
  readonly contents: ReadonlyMap<string, V>;
  /** Keys that were in the list but could not be read. */
  readonly unreadable: ReadonlySet<string>;
  readonly resourceVersion: string;
}

/** One way to order what a `DeltaFIFO` holds. All calls are synchronous. */
export interface DeltaQueue<V extends HasMetadata> {
  /** Number of items `shift` can take. */
  readonly size: number;
  /** Number of deltas in all items. */
  readonly deltas: number;
  /** Number of items that are relists. */
  readonly relists: number;
  enqueue(delta: KeyedDelta<V>): void;
  /** Returns how many items make up the initial population, should this be the first call of all. */
  replace(replacement: Replacement<V>): number;
  resync(): void;
  bookmark(resourceVersion: string): void;
  /** The oldest item, if it is a relist. */
  peekRelist(): ReplacedAllDelta<V> | undefined;
  /** Appends the deltas of the oldest item to `into`. */
  shift(into: Delta<V>[]): void;
}
