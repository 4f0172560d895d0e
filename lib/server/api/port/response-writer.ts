import type { ServerResponse } from 'node:http';
import { ListwatchError } from '../../../kernel/errors.ts';
import { deferred } from '../../../kernel/latch.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { chunkAround } from '../http/chunk.ts';

/**
 * Sends one response over a socket, as fast as the client reads it.
 *
 * Guarantees:
 * - At most one chunk is held beyond the buffer of the socket: the next one is read when the last one has been sent.
 * - `return` of the chunks is called when the client disconnects or is disconnected, and after `end`.
 */
export class ResponseWriter {
  readonly #response: ServerResponse;
  readonly #runtime: Runtime;
  readonly #stuckTimeoutMs: number;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #wake: (() => void) | undefined;

  constructor(response: ServerResponse, runtime: Runtime, stuckTimeoutMs: number) {
    this.#response = response;
    this.#runtime = runtime;
    this.#stuckTimeoutMs = stuckTimeoutMs;
    response.on('drain', () => {
      this.#wake?.();
    });
    response.on('close', () => {
      this.#wake?.();
      this.end();
    });
    // An error of the socket is followed by `close`, which is handled.
    response.on('error', () => {});
  }

  /**
   * Resolves when everything was passed to the socket, or the client has disconnected. Rejects when the chunks do; the response is
   * then incomplete, and the socket has to be destroyed.
   * @throws {ListwatchError} code TIMEOUT when the client reads nothing for too long.
   */
  async send({ status, headers, body }: ApiResponse): Promise<void> {
    const response = this.#response;
    if (body instanceof Uint8Array) {
      if (status !== 304) response.setHeader('content-length', body.byteLength);
      response.writeHead(status, headers as Record<string, string | string[]>);
      response.end(body);
      return;
    }
    response.writeHead(status, headers as Record<string, string | string[]>);
    response.flushHeaders();
    const pieces = body[Symbol.asyncIterator]();
    this.#pieces = pieces;
    if (response.destroyed) this.end();
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true || response.destroyed) break;
      if (!this.#write(value) && !(await this.#drained())) return;
    }
    response.end();
  }

  /** Ends a streamed response after the bytes that were sent; has no effect on others. */
  end(): void {
    // After the end, no caller receives an error of the body.
    this.#pieces?.return?.().catch(() => {});
  }

  /** Writes a chunk; returns whether there is room for more. */
  #write(piece: Uint8Array): boolean {
    const response = this.#response;
    const chunk = response.chunkedEncoding ? chunkAround(piece) : undefined;
    if (chunk === undefined) return response.write(piece);
    // The chunk has its framing already, so Node must not add it.
    response.chunkedEncoding = false;
    const hasRoom = response.write(chunk);
    response.chunkedEncoding = true;
    return hasRoom;
  }

  /** True when there is room again, false when the client has disconnected. @throws {ListwatchError} code TIMEOUT. */
  async #drained(): Promise<boolean> {
    const response = this.#response;
    if (!response.writableNeedDrain) return !response.destroyed;
    const turn = deferred<void>();
    this.#wake = (): void => {
      turn.resolve();
    };
    const timer = this.#runtime.setTimer(this.#stuckTimeoutMs, () => {
      const message = `the client read nothing of its response for ${this.#stuckTimeoutMs} ms`;
      turn.reject(new ListwatchError('TIMEOUT', message));
    });
    try {
      await turn.promise;
    } finally {
      timer.cancel();
      this.#wake = undefined;
    }
    return !response.destroyed;
  }
}
