/**
 * Looks after what the objects of a store take in memory: where their bytes lie, and which of them are decoded.
 *
 * Guarantees: an object that was released can still be read by whoever has it; its memory goes when nobody has it any more.
 */
export interface ObjectKeeper<V> {
  /** The object is going to stay: its bytes are taken over from wherever they came in. Harmless when they were already. */
  keep(object: V): void;
  /** The object has left the store, or never came to be in it. Harmless when it was not kept. */
  release(object: V): void;
  /** A promise while more objects would be too much for now; undefined when there is room. */
  waitForRoom?(): Promise<void> | undefined;
}
