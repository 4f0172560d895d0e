import { JsonView } from '../../meta/json/json-view.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { Demand } from './demand.ts';
import { FrozenView } from '../store/frozen-view.ts';
import type { ObjectKeeper } from '../store/object-keeper.ts';
import type { KeptView } from './record.ts';

/** How the objects of a cache lie in memory. */
export type CacheMode = 'objects' | 'bytes' | 'compressed';

/** What the objects of a cache take in memory, bytes; objects that came in decoded are not in it. */
export interface CacheMemory {
  readonly mode: CacheMode;
  /** What lies in slabs and is not decoded for good. */
  readonly liveBytes: number;
  /** The slabs themselves. */
  readonly slabBytes: number;
  /** Decoded objects that are kept, as estimated from their JSON. */
  readonly decodedBytes: number;
  /** Of `liveBytes`, what waits to be compressed. */
  readonly uncompressedBytes?: number | undefined;
  /** What compressing itself takes: dictionaries and the memory of zlib, which no figure of the process shows. */
  readonly compressorBytes?: number | undefined;
  /** JSON bytes for each compressed one; missing before there are any. */
  readonly compressionRatio?: number | undefined;
}

/** Keeps the objects of an informer. */
export interface CacheKeeper extends ObjectKeeper<ObjectView> {
  /** Where to say that what leaves may be read as a whole; those that do not ask leave everything readable. */
  readonly demand?: Demand | undefined;
  inspect(): CacheMemory;
  /** Ends work in the background; what is kept stays readable. Calling again is harmless. */
  close(): void;
}

/** The view over bytes in what a store holds, if there is one. */
export function keptViewOf(object: ObjectView): KeptView | undefined {
  const view = object instanceof FrozenView ? object.view : object;
  return view instanceof JsonView ? (view as JsonView<KubernetesObject>) : undefined;
}
