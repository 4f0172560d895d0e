/** How Go quotes a character with a backslash: in texts, and as a character of its own. @see Go strconv appendEscapedRune */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
