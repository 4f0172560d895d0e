/** Maximum number of warnings in one response; further ones are dropped. */
const MOST_WARNINGS = 32;
/** Maximum number of characters in one warning. */
const LONGEST_WARNING = 256;

/** Collects the warnings of a request, each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (this.#texts.size < MOST_WARNINGS) this.#texts.add(text);
  }

  /** The values of the `Warning` header; code 299 has no specific meaning. */
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
