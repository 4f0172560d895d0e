/** Warnings of one answer; what comes after is dropped. */
const MOST_WARNINGS = 32;
/** Characters of one warning. */
const LONGEST_WARNING = 256;

/** Collects what a request should be warned about, each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (this.#texts.size < MOST_WARNINGS) this.#texts.add(text);
  }

  /** The values of the `Warning` header; 299 is the code without a meaning of its own. */
  headerValues(): string[] {
    return [...this.#texts].map((text) => `299 - "${quotable(text)}"`);
  }
}

/** Header values are Latin-1 without control characters; quotes and backslashes are escaped in a quoted string. */
function quotable(text: string): string {
  return text
    .slice(0, LONGEST_WARNING)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, (character) => `\\${character}`);
}
