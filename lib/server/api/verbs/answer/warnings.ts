/** Maximum number of warnings in one response; further ones are dropped. */
const MOST_WARNINGS = 256;
/** With more characters in all warnings of a response, each is cut, and those beyond are dropped. */
const MOST_CHARACTERS = 4096;
/** Maximum number of characters of a warning that is cut. */
const LONGEST_WARNING = 256;

/**
 * Collects the warnings of a request, each text once.
 * @see apiserver pkg/endpoints/filters/warning.go @ v0.36.3
 */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (this.#texts.size < MOST_WARNINGS) this.#texts.add(text);
  }

  /** The values of the `Warning` header; code 299 has no specific meaning. */
  headerValues(): string[] {
    return this.#fitting().map((text) => `299 - "${quotable(text)}"`);
  }

  #fitting(): string[] {
    const texts = [...this.#texts];
    if (texts.reduce((sum, text) => sum + text.length, 0) <= MOST_CHARACTERS) return texts;
    let left = MOST_CHARACTERS;
    return texts
      .map((text) => text.slice(0, LONGEST_WARNING))
      .filter((text) => {
        const fits = left > 0;
        left -= text.length;
        return fits;
      });
  }
}

/** Header values are Latin-1 without control characters; quotes and backslashes are escaped in a quoted string. */
function quotable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, (character) => `\\${character}`);
}
