/** After this many bytes of dropped slabs a garbage collection is requested. V8's own limit for external memory is the same. */
const REQUESTED_AFTER_BYTES = 64 * 1024 * 1024;

let droppedBytes = 0;

/**
 * Memory for a slab.
 *
 * It is shared memory, because V8 starts a collection of the whole heap whenever 64 MiB of ArrayBuffers were added, and these
 * collections would mark all cached views and free nothing: a cache drops slabs only when it shrinks or is closed. V8 does not
 * count shared memory, so the cache reports what was dropped: see `droppedSlabBytes`.
 */
export function newSlabBytes(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size));
}

/**
 * Has to be called when slabs of `size` bytes are dropped and not used again. Together with what was dropped before, at most
 * 64 MiB wait for a collection before V8 is made to start one: it counts the bytes of an ArrayBuffer, and these are never touched.
 */
export function droppedSlabBytes(size: number): void {
  droppedBytes += size;
  if (droppedBytes < REQUESTED_AFTER_BYTES) return;
  droppedBytes = 0;
  void new ArrayBuffer(REQUESTED_AFTER_BYTES);
}

/** Copies bytes into a slab. `set` and `copy` move shared memory byte by byte on Node 20; `fill` takes a fifth of the time. */
export function writeBytes(slab: Buffer, at: number, bytes: Uint8Array): void {
  if (bytes.length > 0) slab.fill(bytes, at, at + bytes.length);
}
