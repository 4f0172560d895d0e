/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function listOfTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
