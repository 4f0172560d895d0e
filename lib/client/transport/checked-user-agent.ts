import { is, type OptionRule } from '../../kernel/options/options-schema.ts';

/** Maximum number of characters. Servers write the header into each line of their audit log. */
const LONGEST = 1_024;

/** A text for the header `user-agent`. */
export const USER_AGENT: OptionRule<string, undefined> = is.openRule<string>(
  `1 to ${LONGEST} printable ASCII characters, without line breaks`,
  (text) => typeof text === 'string' && text.length <= LONGEST && /^[\x20-\x7e]+$/.test(text),
);
