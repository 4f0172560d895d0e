import { plainText } from '../../../kernel/text/plain-text.ts';

/** Maximum number of characters of a name in a message. */
const LONGEST_NAME = 100;

/** The name of a context, cluster or user for messages: in one line, and cut if it is long. */
export function shownName(name: string): string {
  return plainText(name, LONGEST_NAME);
}
