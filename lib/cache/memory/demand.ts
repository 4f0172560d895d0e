/** What can be read of an object that has left the cache. */
export type Readable = 'nothing' | 'metadata' | 'body';

/**
 * What anybody may still read of objects after they have left the cache. Handlers of whole objects may read everything, those
 * of metadata that, and those that put keys into a queue nothing; what leaves takes no more than that along.
 */
export class Demand {
  #bodies = 0;
  #metadata = 0;

  get readable(): Readable {
    if (this.#bodies > 0) return 'body';
    return this.#metadata > 0 ? 'metadata' : 'nothing';
  }

  /** Somebody may read this much from now on, and until the function that it returns is called. */
  begin(what: 'metadata' | 'body'): () => void {
    const count = (change: number): void => {
      if (what === 'body') this.#bodies += change;
      else this.#metadata += change;
    };
    let ended = false;
    count(1);
    return () => {
      if (!ended) count(-1);
      ended = true;
    };
  }
}
