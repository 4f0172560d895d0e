import type { HasMetadata } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';

/** The form of the objects of a cache in memory. */
export type CacheMode = 'objects' | 'bytes';

/**
 * The memory of the objects of a cache, bytes, without objects that were decoded when they arrived.
 *
 * @experimental
 */
export interface CacheMemory {
  /** `own`: a memory of the program. */
  readonly mode: CacheMode | 'own';
  /** The bytes of objects in slabs. */
  readonly liveBytes: number;
  /** The slabs themselves. */
  readonly slabBytes: number;
  /** Decoded objects that are kept, as estimated from their JSON. */
  readonly decodedBytes: number;
  /** The part of a removed object that is retained now, because of the pins of readers. */
  readonly retention: 'nothing' | 'metadata' | 'body';
}

/**
 * Objects that have left the cache, and are released later. After it was disposed, objects are released at once.
 *
 * @experimental
 */
export interface DeferredReleases<V extends HasMetadata = ObjectView> extends Disposable {
  /** Releases an object for each time that it has left, at the end too. One that was stored again since stays in the cache. */
  release(object: V): void;
}

/**
 * The memory of the objects of one cache: the place of their bytes, and the decoded objects. The rest of a cache uses only this
 * interface.
 *
 * Guarantees: readers of a released object can read the parts that were pinned at the time of its release.
 */
export interface ObjectMemory<V extends HasMetadata = ObjectView> {
  /**
   * Called before an object is stored: its bytes are copied from the buffer in which they arrived. Returns the value to store:
   * the object, or a copy if it belongs to another cache. It has no effect when the object is retained already.
   */
  retain(object: V): V;
  /**
   * Called when an object is not stored: it has left the cache, or it was retained and is not used yet; then all of it stays
   * readable. It has no effect when the object is not retained.
   */
  release(object: V, why: 'left' | 'unused'): void;
  /** Adds a reader that may read the metadata, or all, of objects after they have left the cache, until the pin is disposed. */
  pin(what: 'metadata' | 'body'): Disposable;
  /**
   * From now on an object that leaves the cache stays as it was received, in its place, until it is released through the result.
   * `onLeft` is called with it at once. One reader does so at a time: undefined for another one. A memory without this method releases
   * at once.
   */
  deferReleases?(onLeft: (object: V) => void): DeferredReleases<V> | undefined;
  inspect(): CacheMemory;
  /** Drops caches for faster reads; retained objects stay readable. Calling again has no effect. */
  destroy(): void;
}
