import type { HasMetadata } from '../../meta/object.ts';
import type { Delta, KeyedDelta, ReplacedAllDelta } from './delta.ts';

/** An order of the deltas of a `DeltaFIFO`. All calls are synchronous. */
export interface DeltaQueue<V extends HasMetadata> {
  /** Number of items `shift` can take. */
  readonly size: number;
  /** Number of deltas in all items. */
  readonly deltas: number;
  /** Number of items that are relists. */
  readonly relists: number;
  enqueue(delta: KeyedDelta<V>): void;
  /** Returns how many items make up the initial population, should this be the first call of all. */
  replace(relist: ReplacedAllDelta<V>): number;
  resync(): void;
  bookmark(resourceVersion: string): void;
  /** The oldest item, if it is a relist. */
  peekRelist(): ReplacedAllDelta<V> | undefined;
  /** Appends the deltas of the oldest item to `into`. */
  shift(into: Delta<V>[]): void;
}
