/** A pair of a query must not contain: an escape that is none, or a semicolon, which other readers take for a separator. */
const MALFORMED = /;|%(?![\da-f]{2})/i;

/**
 * The parameters of a query. A malformed pair counts as left out, as in kube-apiserver.
 * @see Go net/url ParseQuery
 */
export function parseQuery(text: string): URLSearchParams {
  if (!MALFORMED.test(text)) return new URLSearchParams(text);
  const pairs = text.split('&').filter((pair) => !MALFORMED.test(pair));
  return new URLSearchParams(pairs.join('&'));
}
