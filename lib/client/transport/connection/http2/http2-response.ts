import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import { sessionEnded, streamReset } from '../cause/http2-failure.ts';
import type { StreamSlot } from './http2-session.ts';

const { NGHTTP2_NO_ERROR } = constants;

/** Whether the server has sent the end of a stream. */
export interface StreamEnd {
  readonly came: boolean;
}

/**
 * Looks out for the end of a stream; to be called before anything has arrived.
 *
 * Node shows a reset with the code NO_ERROR as an end. The end of the server is pushed before the stream counts as closed, that of a
 * reset afterwards. Some proxies reset streams so when they lose the server.
 */
export function endOf(stream: ClientHttp2Stream): StreamEnd {
  const end = { came: false };
  const push = stream.push.bind(stream);
  stream.push = (piece: unknown, encoding?: BufferEncoding): boolean => {
    if (piece === null && !stream.closed) end.came = true;
    return push(piece, encoding);
  };
  return end;
}

export interface Http2ResponseParts {
  readonly slot: StreamSlot;
  readonly stream: ClientHttp2Stream;
  readonly end: StreamEnd;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The answer on a stream, with the properties that an answer of HTTP/1.1 has.
 *
 * Guarantees:
 * - It ends only after the server has ended the stream. Otherwise it fails: Node ends a stream without an error when its connection
 *   is closed, and when the server resets it with the code NO_ERROR.
 * - Without a reader the server stops sending on this stream, and only on this one.
 * - `destroy` ends only this stream, with the error code CANCEL.
 */
export class Http2Response extends Readable {
  readonly statusCode: number;
  readonly headers: Record<string, string | string[]>;
  readonly #slot: StreamSlot;
  readonly #stream: ClientHttp2Stream;

  constructor({ slot, stream, end, headers }: Http2ResponseParts) {
    super();
    this.#slot = slot;
    this.#stream = stream;
    const { ':status': status = 0, ...rest } = headers;
    this.statusCode = Number(status);
    this.headers = rest as Record<string, string | string[]>;
    slot.heard();
    stream.on('data', (piece: Buffer) => {
      slot.heard();
      if (!this.push(piece)) stream.pause();
    });
    stream.once('end', () => {
      if (end.came && stream.rstCode === NGHTTP2_NO_ERROR) this.push(null);
      else this.destroy(failureOf(slot, stream));
    });
    stream.on('error', (error: Error) => this.destroy(failureOf(slot, stream, error)));
    stream.once('close', () => {
      if (!stream.readableEnded || !end.came) this.destroy(failureOf(slot, stream));
    });
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#slot.cancel();
    done(error);
  }
}

/** Why a stream ended before its end. `error` is what Node says, which is nothing in many cases. */
export function failureOf(
  slot: StreamSlot,
  stream: ClientHttp2Stream,
  error?: Error & { code?: string },
): Error {
  const code = stream.rstCode ?? NGHTTP2_NO_ERROR;
  if (error?.code === 'ERR_HTTP2_SESSION_ERROR') return sessionEnded(code);
  if (error !== undefined && error.code !== 'ERR_HTTP2_STREAM_ERROR') return error;
  return error === undefined && slot.lost ? connectionClosed() : streamReset(code);
}

/** The error of Node for a connection of HTTP/1.1 that was closed. */
function connectionClosed(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}
