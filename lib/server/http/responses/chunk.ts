const CRLF = '\r\n';

/** Bytes within a buffer that also contains their HTTP/1.1 chunk framing. */
interface FramedPiece extends Uint8Array {
  chunk: Uint8Array;
}

/**
 * Joins bytes into one buffer that also contains the HTTP/1.1 chunk framing before and after them. Sending it to a client is
 * then one write of one buffer; Node itself would join four for each client.
 */
export function joinChunk(parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const head = size.toString(16) + CRLF;
  const chunk = Buffer.allocUnsafe(head.length + size + CRLF.length);
  let end = chunk.write(head, 0, 'latin1');
  for (const part of parts) {
    chunk.set(part, end);
    end += part.length;
  }
  chunk.write(CRLF, end, 'latin1');
  const joined = chunk.subarray(head.length, end) as Uint8Array as FramedPiece;
  joined.chunk = chunk;
  return joined;
}

/** The framed chunk for a result of `joinChunk`; undefined for other bytes, and for an empty piece, which would end the body. */
export function chunkAround(piece: Uint8Array): Uint8Array | undefined {
  return piece.length === 0 ? undefined : (piece as Partial<FramedPiece>).chunk;
}
