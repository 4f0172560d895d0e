/** What can be read of an object that has left the cache. */
export type Readable = 'nothing' | 'metadata' | 'body';

/**
 * What readers may still read of objects that have left the cache. Handlers of whole objects may read everything, those of
 * metadata that, and those that put keys into a queue nothing; what leaves takes no more than that along.
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
