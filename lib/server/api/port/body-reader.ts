import type { Readable } from 'node:stream';
import { ListwatchError } from '../../../kernel/failure/errors.ts';

/**
 * Number of bytes over the limit that are read and dropped. A client whose body is slightly too large then receives the reason;
 * if the connection were cut while the client sends, it would not.
 */
const DROPPED_BYTES = 8 * 1024 * 1024;

/**
 * Reads the body of a request. Undefined when it is larger than the limit.
 * Rejects when the client disconnects before the end.
 */
export function readBody(
  request: Readable,
  contentLength: string | undefined,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const announced = Number(contentLength ?? 0);
  if (announced > limitBytes + DROPPED_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (size > limitBytes + DROPPED_BYTES) resolve(undefined);
    });
    request.on('end', () => {
      if (size > limitBytes) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
    });
    request.on('error', reject);
    request.on('close', () => {
      // `close` follows every request; an error that no caller receives would only cost time.
      if (request.readableEnded) return;
      reject(
        new ListwatchError(
          'ABORTED',
          'the client closed the connection before the request was complete',
        ),
      );
    });
  });
}
