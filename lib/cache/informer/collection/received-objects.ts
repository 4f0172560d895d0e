import type { HasMetadata } from '../../../meta/object.ts';
import type { DeferredReleases } from '../../memory/object-memory.ts';

/** What a cache stores, as it was received: without own writes. */
export interface ReceivedObjects<V extends HasMetadata> {
  /** The version of the last change that is in it; empty before the first list. */
  readonly resourceVersion: string;
  /** Changes that were received and are not in it yet; a list counts when it is complete. */
  readonly backlog: number;
  get(key: string): V | undefined;
  /** All objects, in one state. */
  list(): readonly V[];
  keys(): string[];
  /** Keeps objects readable that leave the cache, until it is disposed. */
  pin(): Disposable;
  /** As `ObjectMemory.deferReleases`; undefined if the memory of the cache cannot do that. */
  deferReleases(onLeft: (object: V) => void): DeferredReleases<V> | undefined;
}
