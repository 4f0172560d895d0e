/**
 * Detects a list whose continue tokens repeat in a cycle of any length, and keeps only one token for it (Brent's algorithm). It
 * reads at most three times the number of pages before and in the cycle.
 */
export class PageCycle {
  #kept: string | undefined;
  #pages = 0;
  #keepAt = 1;

  /** Takes the token of each page in turn; returns true once the pages repeat. */
  repeats(continueToken: string): boolean {
    if (continueToken === this.#kept) return true;
    this.#pages += 1;
    if (this.#pages === this.#keepAt) {
      this.#kept = continueToken;
      this.#keepAt *= 2;
    }
    return false;
  }
}
