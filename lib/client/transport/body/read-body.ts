import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';
import type { ResponseBody } from '../contract/transport.ts';

/** The longest string of V8; a larger body could not be parsed. */
export const LONGEST_BODY_BYTES: number = 536_870_888;

export function responseTooLarge(maxBytes: number, target: ExchangeTarget): TransportError {
  const problem = `the answer is larger than ${maxBytes} bytes; ask for pages with a limit, or raise maxResponseBytes`;
  return new TransportError('RESPONSE_TOO_LARGE', target, problem);
}

/**
 * Reads a body to its end.
 * @throws {TransportError} code RESPONSE_TOO_LARGE above `maxBytes`; the connection is closed then. Errors of the body.
 */
export async function readBody(
  body: ResponseBody,
  maxBytes: number,
  target: ExchangeTarget,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = body[Symbol.asyncIterator]();
  for (;;) {
    const piece = reader.poll?.() ?? (await reader.next()).value;
    if (piece === undefined) return join(pieces, bytes);
    bytes += piece.length;
    if (bytes > maxBytes) {
      await reader.return?.();
      throw responseTooLarge(maxBytes, target);
    }
    pieces.push(piece);
  }
}

/** Reads at most `maxBytes` of a body and closes it: for answers that are only shown in errors. */
export async function readBodyStart(body: ResponseBody, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxBytes) break;
  }
  return join(pieces, bytes).subarray(0, maxBytes);
}

function join(pieces: readonly Uint8Array[], bytes: number): Buffer {
  const [only] = pieces;
  if (pieces.length === 1 && Buffer.isBuffer(only)) return only;
  return Buffer.concat(pieces, bytes);
}
