import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { deferred } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import type { ResponseSink } from './response-sink.ts';

/**
 * Sends one response over a connection, as fast as the client reads it.
 *
 * Guarantees:
 * - At most one chunk is held beyond the buffer of the socket: the next one is read when the last one has been sent.
 * - `return` of the chunks is called when the client disconnects or is disconnected, and after `end`.
 */
export class ResponseWriter {
  readonly #sink: ResponseSink;
  readonly #runtime: Runtime;
  readonly #stuckTimeoutMs: number;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #wake: (() => void) | undefined;

  constructor(sink: ResponseSink, runtime: Runtime, stuckTimeoutMs: number) {
    this.#sink = sink;
    this.#runtime = runtime;
    this.#stuckTimeoutMs = stuckTimeoutMs;
    sink.onDrain(() => {
      this.#wake?.();
    });
    sink.onClose(() => {
      this.#wake?.();
      this.end();
    });
  }

  /**
   * Resolves when everything was passed to the socket, or the client has disconnected. Rejects when the chunks do; the response is
   * then incomplete, and the socket has to be destroyed.
   * @throws {ListwatchError} code TIMEOUT when the client reads nothing for too long.
   */
  async send({ status, headers, body }: ApiResponse): Promise<void> {
    const sink = this.#sink;
    if (body instanceof Uint8Array) {
      sink.sendWhole(status, headers, body);
      return;
    }
    sink.begin(status, headers);
    const pieces = body[Symbol.asyncIterator]();
    this.#pieces = pieces;
    if (sink.isDestroyed) this.end();
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true || sink.isDestroyed) break;
      if (!sink.write(value) && !(await this.#drained())) return;
    }
    sink.end();
  }

  /** Ends a streamed response after the bytes that were sent; has no effect on others. */
  end(): void {
    // After the end, no caller receives an error of the body.
    this.#pieces?.return?.().catch(() => {});
  }

  /** True when there is room again, false when the client has disconnected. @throws {ListwatchError} code TIMEOUT. */
  async #drained(): Promise<boolean> {
    const sink = this.#sink;
    if (!sink.needsDrain) return !sink.isDestroyed;
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
    return !sink.isDestroyed;
  }
}
