/**
 * Notices a list whose pages go round in a circle, whatever its length, and keeps one token for it (Brent's algorithm). A circle
 * is found within three times the pages that come before it and belong to it.
 */
export class PageCycle {
  #kept: string | undefined;
  #pages = 0;
  #keepAt = 1;

  /** Takes the token of each page in turn; true once the pages repeat. */
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
