/**
 * Whether anybody may read the body of an object after it has left the cache: handlers of whole objects do, those that read
 * metadata do not, and then what leaves takes no more than its metadata along.
 */
export class BodyDemand {
  #count = 0;

  get exists(): boolean {
    return this.#count > 0;
  }

  /** Somebody may from now on, and until the function that it returns is called. */
  begin(): () => void {
    this.#count += 1;
    let ended = false;
    return () => {
      if (!ended) this.#count -= 1;
      ended = true;
    };
  }
}
