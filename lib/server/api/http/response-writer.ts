import type { ServerResponse } from 'node:http';
import { ListwatchError } from '../../../kernel/errors.ts';
import { deferred } from '../../../kernel/latch.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { ApiResponse } from './api-request.ts';
import { chunkAround } from './chunk.ts';

/**
 * Sends one answer over a socket, as fast as the client takes it.
 *
 * Guarantees:
 * - No more than one piece beyond what the socket buffers is held: the next is asked for when the last has gone.
 * - `return` of the pieces is called when the client is gone, cut off, or `end` was called.
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
    // An error of the socket shows in `close`.
    response.on('error', () => {});
  }

  /**
   * Resolves when everything was handed to the socket, or the client is gone. Rejects when the pieces do; the answer is then
   * incomplete, and the socket has to be cut.
   * @throws {ListwatchError} code TIMEOUT when the client takes nothing for too long.
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

  /** Ends a streamed answer after what was sent; harmless otherwise. */
  end(): void {
    // An error of a body after the client has gone has no reader.
    this.#pieces?.return?.().catch(() => {});
  }

  /** Whether there is room for more. */
  #write(piece: Uint8Array): boolean {
    const response = this.#response;
    const chunk = response.chunkedEncoding ? chunkAround(piece) : undefined;
    if (chunk === undefined) return response.write(piece);
    // For this piece Node has nothing to add.
    response.chunkedEncoding = false;
    const hasRoom = response.write(chunk);
    response.chunkedEncoding = true;
    return hasRoom;
  }

  /** True when there is room again, false when the client is gone. @throws {ListwatchError} code TIMEOUT. */
  async #drained(): Promise<boolean> {
    const response = this.#response;
    if (!response.writableNeedDrain) return !response.destroyed;
    const turn = deferred<void>();
    this.#wake = (): void => {
      turn.resolve();
    };
    const timer = this.#runtime.setTimer(this.#stuckTimeoutMs, () => {
      const message = `the client took nothing of its answer for ${this.#stuckTimeoutMs} ms`;
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
