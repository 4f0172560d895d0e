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
  /** A promise while more objects would be too much for now; undefined when there is room. */
  waitForRoom?(): Promise<void> | undefined;
}
