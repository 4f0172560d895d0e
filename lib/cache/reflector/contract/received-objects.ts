import type { KnownValueOf } from '../../../meta/json/known-values.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { DeferredReleases } from '../../memory/object-memory.ts';

/** The objects of a cache as they were received: without own writes. */
export interface ReceivedObjects<V extends HasMetadata = ObjectView> {
  /** The version of the last change that is in it; empty before the first list. */
  readonly resourceVersion: string;
  /** Changes that were received and are not in it yet; a list counts when it is complete. */
  readonly backlog: number;
  /** Aborts when it gets no more changes. Its objects stay readable. */
  readonly stopped: AbortSignal;
  /** Whether it has everything up to a version that its source has listed. */
  has(resourceVersion: string): boolean;
  get(key: string): V | undefined;
  /** All objects, in one state. */
  list(): readonly V[];
  keys(): string[];
  /** Keeps objects readable that leave the cache, until it is disposed. */
  pin(): Disposable;
  /** As `ObjectMemory.deferReleases`; undefined also if the memory of the cache cannot do that. */
  deferReleases(onLeft: (object: V) => void): DeferredReleases<V> | undefined;
  /** Finds a part of a stored object, so that a source need not scan the same bytes again. */
  readonly knownValueOf: KnownValueOf;
}
