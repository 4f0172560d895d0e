import type { Duplex } from 'node:stream';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { deferred } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { ClientFrames } from './client-frames.ts';
import { closeWebSocket } from './close-web-socket.ts';
import { binaryFrames, closeCode, pongFrame, textFrames } from './server-frames.ts';

export interface WebSocketWatchOptions {
  /** The connection, after the handshake. */
  readonly socket: Duplex;
  /** Bytes that the client has sent after its handshake already. */
  readonly head: Uint8Array;
  /** The events: one a line, or as messages with their length in front. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Whether the events are messages, which go into binary frames. */
  readonly isBinary: boolean;
  readonly runtime: Runtime;
  /** Maximum time for a client to read a piece, milliseconds. */
  readonly stuckTimeoutMs: number;
  /** Maximum time for a client to close its end after the close frame, milliseconds. */
  readonly closeTimeoutMs: number;
}

/** A client that sends pings and does not read gets no more pongs while so many bytes wait for it. */
const MOST_WAITING_FOR_PONG_BYTES = 64 * 1024;

/**
 * Sends the events of a watch over a WebSocket, one frame each, as fast as the client reads them.
 *
 * Guarantees:
 * - At most one piece of the body is held beyond the buffer of the socket.
 * - It ends with a close frame of code 1000 after the body, after `end` and after the close of the client; with 1002 or 1009 when the
 *   client breaks the protocol.
 * - `return` of the body is called in each of these cases, and when the connection is lost.
 */
export class WebSocketWatch {
  readonly #options: WebSocketWatchOptions;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #wake: (() => void) | undefined;
  #code: number = closeCode.normal;
  #ended = false;

  constructor(options: WebSocketWatchOptions) {
    this.#options = options;
    const { socket, head } = options;
    const frames = new ClientFrames({
      ping: (payload) => {
        if (!this.#ended && socket.writableLength < MOST_WAITING_FOR_PONG_BYTES) {
          socket.write(pongFrame(payload));
        }
      },
      close: (code) => {
        this.#code = code;
        this.end();
      },
    });
    socket.on('drain', () => this.#wake?.());
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.end();
      });
    }
    frames.push(head);
    socket.on('data', (bytes: Uint8Array) => {
      frames.push(bytes);
    });
  }

  /**
   * Resolves when the close frame was passed to the socket, or the connection is lost. Rejects when the body does; the socket has to
   * be destroyed then.
   * @throws {ListwatchError} code TIMEOUT when the client reads nothing for too long.
   */
  async send(): Promise<void> {
    const { socket, body } = this.#options;
    if (body instanceof Uint8Array) socket.write(this.#frames(body));
    else await this.#sendAll(body[Symbol.asyncIterator]());
    if (!socket.destroyed) this.#close();
  }

  #frames(piece: Uint8Array): Buffer {
    return this.#options.isBinary ? binaryFrames(piece) : textFrames(piece);
  }

  /** Ends the watch after the bytes that were sent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    // After the end, no caller receives an error of the body.
    this.#pieces?.return?.().catch(() => {});
  }

  async #sendAll(pieces: AsyncIterator<Uint8Array>): Promise<void> {
    const { socket } = this.#options;
    this.#pieces = pieces;
    if (socket.destroyed) this.end();
    else if (this.#ended) pieces.return?.().catch(() => {});
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true || this.#ended || socket.destroyed) return;
      if (!socket.write(this.#frames(value))) await this.#drained();
    }
  }

  /** Resolves when more can be written, or nothing more is to be sent. @throws {ListwatchError} code TIMEOUT. */
  async #drained(): Promise<void> {
    const { socket, runtime, stuckTimeoutMs } = this.#options;
    if (this.#ended || !socket.writableNeedDrain) return;
    const turn = deferred<void>();
    this.#wake = (): void => {
      turn.resolve();
    };
    const timer = runtime.setTimer(stuckTimeoutMs, () => {
      const message = `the client read nothing of its watch for ${stuckTimeoutMs} ms`;
      turn.reject(new ListwatchError('TIMEOUT', message));
    });
    try {
      await turn.promise;
    } catch (error) {
      this.end();
      throw error;
    } finally {
      timer.cancel();
      this.#wake = undefined;
    }
  }

  #close(): void {
    this.#ended = true;
    closeWebSocket(this.#code, this.#options);
  }
}
