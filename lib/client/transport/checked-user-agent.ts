import { ListwatchError } from '../../kernel/failure/errors.ts';

/** Maximum number of characters. Servers write the header into each line of their audit log. */
const LONGEST = 1_024;

/**
 * A text for the header `user-agent`.
 * @throws {ListwatchError} code INVALID_OPTION for an empty text, control characters or characters beyond ASCII.
 */
export function checkedUserAgent(owner: string, text: string): string {
  if (typeof text === 'string' && text.length <= LONGEST && /^[\x20-\x7e]+$/.test(text))
    return text;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: option "userAgent" must be 1 to ${LONGEST} printable ASCII characters, without line breaks`,
  );
}
