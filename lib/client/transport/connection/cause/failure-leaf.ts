/** The depth to which causes and aggregated errors are read. */
const DEEPEST = 8;

/** The most characters of the messages of inner errors. */
const LONGEST_TEXT = 400;

/** An innermost error. */
export interface FailureLeaf {
  readonly code: string;
  /** One line, without the addresses and source files that OpenSSL adds. */
  readonly message: string;
  /** The error itself. An error of an HTTP library contains the request: it must not be passed on. */
  readonly error: unknown;
}

/** The innermost errors of `cause` and `errors`: several if several addresses of a host were tried. Never empty. */
export function leavesOf(error: unknown, depth: number = 0): FailureLeaf[] {
  if (typeof error !== 'object' || error === null) {
    return [{ code: '', message: 'unknown failure', error }];
  }
  const { code, message, cause, errors } = error as {
    code?: unknown;
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (depth < DEEPEST) {
    if (Array.isArray(errors) && errors.length > 0) {
      return errors.slice(0, DEEPEST).flatMap((one) => leavesOf(one, depth + 1));
    }
    if (typeof cause === 'object' && cause !== null) return leavesOf(cause, depth + 1);
  }
  const name = typeof code === 'string' ? code : '';
  const text = typeof message === 'string' ? oneLine(message) : '';
  return [{ code: name, message: text || name || 'unknown failure', error }];
}

/** Their messages, each once. */
export function textOf(leaves: readonly FailureLeaf[]): string {
  const text = [...new Set(leaves.map(({ message }) => message))].join('; ');
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** An error with code and message of the first one, and nothing else of it. */
export function plainCause(leaves: readonly FailureLeaf[]): Error {
  const cause: Error & { code?: string } = new Error(textOf(leaves));
  // Its frames would be those of this package.
  cause.stack = `Error: ${cause.message}`;
  const code = leaves[0]?.code;
  if (code !== undefined && code !== '') cause.code = code;
  return cause;
}

/**
 * OpenSSL's errors are `…error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:…c:1601:SSL alert number 40`
 * and end with a line break. The reason and the number say it all.
 */
function oneLine(message: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = message.replaceAll(/[\s\x00-\x1f\x7f]+/g, ' ').trim();
  // Node 24 adds a remedy of its own to an unknown authority.
  const line = plain.replace(/; if the root CA is installed locally.*/, '');
  const [, library = '', reason = '', number = ''] =
    /error:[0-9A-F]+:([^:]*):[^:]*:([^:]+)(?:.*SSL alert number (\d+))?/.exec(line) ?? [];
  if (reason === '') return line;
  return number === '' ? `${library}: ${reason}` : `TLS alert ${number}: ${reason}`;
}
