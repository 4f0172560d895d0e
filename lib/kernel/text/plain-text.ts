/** Escape sequences of terminals: colours, cursor moves, window titles. */
// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|.)/g;

/** Control characters, white space, and characters that hide text or change its direction. */
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/** The part of a text that is read before it is cut, in lengths of the result. */
const READ_AHEAD = 4;

/**
 * A text from elsewhere as one line for a message: without control characters and escape sequences, with single spaces, and
 * with at most `longest` characters. A text that is cut ends in ` …`.
 */
export function plainText(text: string, longest: number): string {
  const plain = oneLine(text.slice(0, longest * READ_AHEAD));
  return plain.length <= longest && text.length <= longest * READ_AHEAD
    ? plain
    : `${plain.slice(0, Math.max(0, longest - 2)).trimEnd()} …`;
}

/**
 * As `plainText`, for the words of a server or a node: cut in the middle, with the last third kept. A chain of causes begins with what failed,
 * and the reason is at its end.
 */
export function plainCause(text: string, longest: number): string {
  const isRead = text.length <= longest * READ_AHEAD;
  const plain = isRead ? oneLine(text) : '';
  if (isRead && plain.length <= longest) return plain;
  const left = Math.max(0, longest - ' … '.length);
  const last = Math.floor(left / 3);
  const first = left - last;
  const begin = isRead ? plain : oneLine(text.slice(0, first * READ_AHEAD));
  const end = isRead ? plain : oneLine(text.slice(text.length - last * READ_AHEAD));
  return `${begin.slice(0, first).trimEnd()} … ${end.slice(end.length - last).trimStart()}`;
}

function oneLine(text: string): string {
  return text.replaceAll(ESCAPES, '').replaceAll(UNPRINTED, ' ').trim();
}
