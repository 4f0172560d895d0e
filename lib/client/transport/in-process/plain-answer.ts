/*
 * An answer of a handler in the forms that a client's transport gives: for transports in the same process.
 */

/** A body as the pieces of a stream. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  if (bytes.length > 0) yield bytes;
}

/** Headers with small names, and the values of each in one text. */
export function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    plain[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
