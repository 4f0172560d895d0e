/** Escape sequences of terminals: colours, cursor movements, titles of windows. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;

/** Control and format characters, among them line breaks and those that turn the direction of text around. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;

/** Text of others for one line of a message: without control characters, and of at most `most` characters. */
export function printable(text: string, most: number): string {
  // The bound comes first, so that the work on a huge text is bounded too. A character of the result may stand for several.
  const line = text
    .slice(0, most * 4)
    .replaceAll(ESCAPES, '')
    .replaceAll(UNPRINTABLE, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
