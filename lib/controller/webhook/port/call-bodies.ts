import type { IncomingMessage } from 'node:http';

/** A request is refused before its body is read to the end. */
export class RefusedBody extends Error {
  readonly status: number;
  /** Whether the rest of the body need not be waited for, so that the connection can be used again. */
  readonly isRead: boolean;

  constructor(status: number, message: string, request: IncomingMessage) {
    super(message);
    this.status = status;
    this.isRead = request.complete;
  }
}

export interface ReadBody {
  readonly body: Buffer;
  /** Gives its bytes back to the limit. */
  readonly release: () => void;
}

/** Reads bodies, of which a limited number of bytes is in memory at once. */
export class CallBodies {
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** @throws {RefusedBody} for a body that is too large, or too many at once. The error of the connection. */
  async read(request: IncomingMessage, largestBytes: number): Promise<ReadBody> {
    const tooLarge = `the body is larger than ${largestBytes} bytes`;
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > largestBytes) throw new RefusedBody(413, tooLarge, request);
    const pieces: Buffer[] = [];
    let size = 0;
    const release = (): void => {
      this.#bytes -= size;
      size = 0;
    };
    try {
      for await (const piece of piecesOf(request)) {
        size += piece.length;
        this.#bytes += piece.length;
        if (size > largestBytes) throw new RefusedBody(413, tooLarge, request);
        if (this.#bytes > this.#mostBytes) {
          const text = `the bodies of all calls together are larger than ${this.#mostBytes} bytes`;
          throw new RefusedBody(503, text, request);
        }
        pieces.push(piece);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { body: Buffer.concat(pieces, size), release };
  }
}

/** A loop that ends early must not destroy the connection, on which the refusal is sent. */
function piecesOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}
