const SLASH = 0x2f;
/** Characters that Go does not escape in the path of a URL. */
const PLAIN = /[A-Za-z\d\-_.~$&+,/:;=@]/;

/**
 * The path at which a webhook is called: percent-encoding is read first, so `%2F` separates as well; then empty segments, `.` and `..` are
 * resolved, and what is left is encoded in Go's way.
 */
export function webhookPath(text: string): string {
  const kept: string[] = [];
  for (const segment of segmentsOf(decoded(text))) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** The bytes of a path; `%` without two hexadecimal digits is itself, as validation refuses it. */
function decoded(text: string): Buffer {
  const pieces = text.split(/(%[\dA-Fa-f]{2})/);
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.slice(1), 'hex'),
    ),
  );
}

/** The segments of a path, encoded. */
function segmentsOf(path: Buffer): string[] {
  const segments = [''];
  for (const byte of path) {
    if (byte === SLASH) segments.push('');
    else segments[segments.length - 1] += encoded(byte);
  }
  return segments;
}

function encoded(byte: number): string {
  const character = String.fromCharCode(byte);
  return PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
