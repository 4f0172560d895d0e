import { LRUCache } from 'lru-cache';

/** Keys whose last failure is kept. Without it, a retry is a retry of an unknown failure. */
const KEPT = 1_000;

/** The messages of the last failures, by key. */
export class LastFailures {
  /** Made at the first failure: it reserves room for all. */
  #failures: LRUCache<string, string> | undefined;

  get(key: string): string | undefined {
    return this.#failures?.get(key);
  }

  /** The last run of a key has failed; undefined: it has not. */
  ended(key: string, failure: string | undefined): void {
    if (failure === undefined) {
      this.#failures?.delete(key);
      return;
    }
    this.#failures ??= new LRUCache({ max: KEPT });
    this.#failures.set(key, failure);
  }
}
