import { JsonView } from '../../meta/json/json-view.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { Demand } from './demand.ts';
import { FrozenView } from '../store/frozen-view.ts';
import type { KeptView } from './record.ts';

/** How the objects of a cache lie in memory. */
export type CacheMode = 'objects' | 'bytes';

/** What the objects of a cache take in memory, bytes; objects that came in decoded are not in it. */
export interface CacheMemory {
  readonly mode: CacheMode;
  /** What lies in slabs and is not decoded for good. */
  readonly liveBytes: number;
  /** The slabs themselves. */
  readonly slabBytes: number;
  /** Decoded objects that are kept, as estimated from their JSON. */
  readonly decodedBytes: number;
}

/**
 * Looks after what the objects of a store take in memory: where their bytes lie, and which of them are decoded.
 *
 * Guarantees: an object that was released can still be read by whoever has it; its memory goes when nobody has it any more.
 */
export interface ObjectKeeper<V> {
  /** The object is going to stay: its bytes are taken over from wherever they came in. Harmless when they were already. */
  keep(object: V): void;
  /**
   * The object is not in the store: it was, and has left for good, or it may still come. Harmless when it was not kept.
   * What has left is kept again only if `hold` was called before.
   */
  release(object: V, why: 'left' | 'unused'): void;
  /** From now on what leaves may come back, until the function that it returns is called. */
  hold?(): () => void;
}

/** Keeps the objects of an informer. */
export interface CacheKeeper extends ObjectKeeper<ObjectView> {
  /** Where to say what of an object that leaves may still be read. */
  readonly demand: Demand;
  inspect(): CacheMemory;
  /** Gives up what makes reading faster; what is kept stays readable. Calling again is harmless. */
  close(): void;
}

/** The view over bytes in what a store holds, if there is one. */
export function keptViewOf(object: ObjectView): KeptView | undefined {
  const view = object instanceof FrozenView ? object.view : object;
  return view instanceof JsonView ? (view as JsonView<KubernetesObject>) : undefined;
}
