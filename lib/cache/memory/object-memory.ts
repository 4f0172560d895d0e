import type { HasMetadata } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';

/** The form of the objects of a cache in memory. */
export type CacheMode = 'objects' | 'bytes';

/** The memory of the objects of a cache, bytes, without objects that were decoded when they arrived. */
export interface CacheMemory {
  readonly mode: CacheMode;
  /** What lies in slabs and is not decoded for good. */
  readonly liveBytes: number;
  /** The slabs themselves. */
  readonly slabBytes: number;
  /** Decoded objects that are kept, as estimated from their JSON. */
  readonly decodedBytes: number;
  /** What an object that leaves the cache now takes along for readers that are pinned. */
  readonly retention: 'nothing' | 'metadata' | 'body';
}

/**
 * The memory of the objects of one cache: the place of their bytes, and the decoded objects. The rest of a cache uses only this
 * interface.
 *
 * Guarantees: readers of a released object can read the parts that were pinned at the time of its release.
 */
export interface ObjectMemory<V extends HasMetadata = ObjectView> {
  /**
   * The object is going to be stored: its bytes are copied from where they came in. Returns what to store: the object, or a
   * copy of it when it lies in another cache. Harmless when it was retained before.
   */
  retain(object: V): V;
  /**
   * The object is not stored: it has left, or it was retained and is not used yet, so that all of it stays readable. Harmless
   * when it is not retained.
   */
  release(object: V, why: 'left' | 'unused'): void;
  /** A reader comes that may read the metadata, or all, of objects after they have left; disposing of the pin ends that. */
  pin(what: 'metadata' | 'body'): Disposable;
  inspect(): CacheMemory;
  /** Gives up what makes reading faster; what is retained stays readable. Calling again is harmless. */
  close(): void;
}
