import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ApiResponse } from '../../http/api-request.ts';
import type { ResponseSink } from './response-sink.ts';

/** A response on a stream of HTTP/2. */
export class Http2Sink implements ResponseSink {
  readonly #stream: ServerHttp2Stream;
  readonly #isHead: boolean;
  #status = 0;
  #isEnded = false;

  /** @param method of the request: HEAD has no body in its response */
  constructor(stream: ServerHttp2Stream, method: string) {
    this.#stream = stream;
    this.#isHead = method === 'HEAD';
    // An error of the stream is followed by `close`, which is handled.
    stream.on('error', () => {});
  }

  get isDestroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get needsDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  get isComplete(): boolean {
    // A stream that was reset counts as finished in Node.
    const wasReset = this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR;
    return this.#isEnded && !wasReset && this.#stream.writableFinished;
  }

  get status(): number {
    return this.#status;
  }

  sendWhole(status: number, headers: ApiResponse['headers'], body: Uint8Array): void {
    if (this.isDestroyed) return;
    this.#isEnded = true;
    const length = status === 304 ? {} : { 'content-length': body.byteLength };
    this.#respond(
      status,
      { ...length, ...(headers as OutgoingHttpHeaders) },
      this.#isHead || body.byteLength === 0,
    );
    if (!this.#isHead && body.byteLength > 0) this.#stream.end(body);
  }

  begin(status: number, headers: ApiResponse['headers']): void {
    if (!this.isDestroyed) this.#respond(status, headers as OutgoingHttpHeaders, this.#isHead);
  }

  #respond(status: number, headers: OutgoingHttpHeaders, endStream: boolean): void {
    const { connection: _, ...own } = headers;
    this.#status = status;
    this.#stream.respond({ ':status': status, ...own }, { endStream });
  }

  write(piece: Uint8Array): boolean {
    return this.#isHead || this.#stream.write(piece);
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#isHead) this.#stream.end();
  }

  destroy(): void {
    if (!this.#stream.closed) this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  reset(): void {
    this.#stream.session?.destroy();
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#stream.on('close', listener);
  }
}
