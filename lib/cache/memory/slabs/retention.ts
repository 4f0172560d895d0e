/** The part of an object that can be read after it has left the cache. */
export type Readable = 'nothing' | 'metadata' | 'body';

/**
 * The part of a removed object that readers may still read: everything for handlers of whole objects, the metadata for handlers
 * of metadata, nothing for handlers of keys. Only this part of an object is retained when it leaves the cache.
 */
export class Retention {
  #bodies = 0;
  #metadata = 0;

  get readable(): Readable {
    if (this.#bodies > 0) return 'body';
    return this.#metadata > 0 ? 'metadata' : 'nothing';
  }

  /** A reader may read this much, until the pin is disposed of; a second time is harmless. */
  pin(what: 'metadata' | 'body'): Disposable {
    const count = (change: number): void => {
      if (what === 'body') this.#bodies += change;
      else this.#metadata += change;
    };
    let ended = false;
    count(1);
    return {
      [Symbol.dispose]: () => {
        if (!ended) count(-1);
        ended = true;
      },
    };
  }
}
