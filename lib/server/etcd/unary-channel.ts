import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { deferred } from '../../kernel/time/latch.ts';
import { rpcError, status, type ServiceError } from './etcd-error.ts';
import type { EtcdEndpoint, ResolvedEtcdOptions } from './etcd-options.ts';

/** A flag for compression, which is never asked for, and the length of the message. */
const HEAD_BYTES = 5;
/** A member may send so much before it waits for the reader: of one answer, and of all together. */
const ANSWER_WINDOW_BYTES = 1024 * 1024;
const WINDOW_BYTES = 8 * 1024 * 1024;
const { HTTP2_HEADER_STATUS, NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** The effect of a connection on its calls. */
interface Connection {
  readonly session: ClientHttp2Session;
  /** Calls without an answer. */
  calls: number;
  isOpen: boolean;
  isRetired: boolean;
  error: unknown;
}

export interface UnaryCallOptions {
  readonly path: string;
  readonly message: Uint8Array;
  readonly token: string | undefined;
}

/** A call under way. */
export interface UnaryCall {
  readonly answer: Promise<Buffer>;
  /** Fails the call, and uses its connection for no other one: the member has been silent on it. */
  cancel(): void;
}

/**
 * Calls of one request and one response to one member by gRPC, over one HTTP/2 connection. It takes half of the processor time that
 * the same call takes through `@grpc/grpc-js`, which remains for streams.
 *
 * Guarantees:
 * - A call fails with a `ServiceError` whose text says "no connection established" if the member cannot have received it.
 * - A connection that ends is replaced at the next call. It keeps the process alive only while calls are under way.
 * - An answer takes at most `maxResponseBytes`.
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export class UnaryChannel {
  readonly #authority: string;
  readonly #options: Pick<ResolvedEtcdOptions, 'tls' | 'maxResponseBytes'>;
  #connection: Connection | undefined;

  constructor(
    { address, secure }: EtcdEndpoint,
    options: Pick<ResolvedEtcdOptions, 'tls' | 'maxResponseBytes'>,
  ) {
    this.#authority = `${secure ? 'https' : 'http'}://${address}`;
    this.#options = options;
  }

  call(options: UnaryCallOptions): UnaryCall {
    const connection = (this.#connection ??= this.#connect());
    const { session } = connection;
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(headersOf(options));
    } catch (error) {
      this.#retire(connection);
      return { answer: Promise.reject(unsent(errorMessage(error))), cancel: () => {} };
    }
    if (connection.calls === 0) session.ref();
    connection.calls += 1;
    const answer = new Answer(stream, this.#options.maxResponseBytes);
    const ended = deferred<Buffer>();
    stream.on('close', () => {
      release(connection);
      const result = answer.result(connection);
      if (result instanceof Error) ended.reject(result);
      else ended.resolve(result);
    });
    stream.end(framed(options.message));
    const cancel = (): void => {
      this.#retire(connection);
      // Written bytes may be stuck, and the end of the stream with them.
      ended.reject(
        connection.isOpen
          ? rpcError(status.CANCELLED, 'the member did not answer in time')
          : unsent('the member was silent'),
      );
      stream.destroy();
    };
    return { answer: ended.promise, cancel };
  }

  destroy(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.session.destroy();
  }

  #connect(): Connection {
    const { tls } = this.#options;
    const session = connect(this.#authority, {
      ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls?.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls?.key === undefined ? {} : { key: tls.key }),
      ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
      settings: { enablePush: false, initialWindowSize: ANSWER_WINDOW_BYTES },
      // Node counts the answers that are being read; they are bounded already.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    const connection: Connection = {
      session,
      calls: 0,
      isOpen: false,
      isRetired: false,
      error: undefined,
    };
    session.on('connect', () => {
      connection.isOpen = true;
      session.setLocalWindowSize(WINDOW_BYTES);
    });
    session.on('error', (error) => {
      connection.error = error;
    });
    for (const end of ['goaway', 'close'] as const) {
      session.on(end, () => {
        this.#retire(connection);
      });
    }
    session.unref();
    return connection;
  }

  /** No other call uses it; it is closed when those that are under way have ended. */
  #retire(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined;
    connection.isRetired = true;
    if (connection.calls === 0) connection.session.destroy();
  }
}

/** The end of a call. */
function release(connection: Connection): void {
  connection.calls -= 1;
  if (connection.calls > 0) return;
  if (connection.isRetired) connection.session.destroy();
  else connection.session.unref();
}

/** Gathers the answer to one call. */
class Answer {
  readonly #stream: ClientHttp2Stream;
  readonly #mostBytes: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #error: unknown;
  #headers: IncomingHttpHeaders = {};
  #trailers: IncomingHttpHeaders = {};

  constructor(stream: ClientHttp2Stream, mostBytes: number) {
    this.#stream = stream;
    this.#mostBytes = mostBytes;
    // The end follows it.
    stream.on('error', (error) => {
      this.#error = error;
    });
    stream.on('response', (headers) => {
      this.#headers = headers;
    });
    stream.on('trailers', (trailers) => {
      this.#trailers = trailers;
    });
    stream.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      if (this.#isTooLarge) stream.close(NGHTTP2_CANCEL);
      else this.#pieces.push(piece);
    });
  }

  get #isTooLarge(): boolean {
    return this.#bytes > this.#mostBytes + HEAD_BYTES;
  }

  /** After the end of the stream: the message, or why there is none. */
  result({ isOpen, error }: Connection): Buffer | ServiceError {
    const { 'grpc-status': code, 'grpc-message': text } =
      this.#trailers['grpc-status'] === undefined ? this.#headers : this.#trailers;
    if (code === '0') return this.#message();
    if (code !== undefined) return rpcError(Number(code), decoded(String(text ?? '')));
    if (this.#isTooLarge) {
      return rpcError(
        status.RESOURCE_EXHAUSTED,
        `the answer is larger than max, which is ${this.#mostBytes} bytes`,
      );
    }
    const cause = error ?? this.#error;
    const why = cause === undefined ? 'the connection ended' : errorMessage(cause);
    if (!isOpen) return unsent(why);
    if (this.#stream.rstCode === NGHTTP2_REFUSED_STREAM) return unsent('the member refused it');
    const http = this.#headers[HTTP2_HEADER_STATUS];
    return rpcError(
      status.UNAVAILABLE,
      http === undefined ? why : `${why}, after HTTP ${String(http)}`,
    );
  }

  /** Copied, so that a value that is kept does not keep what was read together with it. */
  #message(): Buffer | ServiceError {
    const bytes = Buffer.concat(this.#pieces, this.#bytes);
    if (bytes.length < HEAD_BYTES || bytes[0] !== 0) {
      return rpcError(status.INTERNAL, 'the answer is not one plain message');
    }
    if (bytes.readUInt32BE(1) !== bytes.length - HEAD_BYTES) {
      return rpcError(status.INTERNAL, 'the answer is not as long as it says');
    }
    return bytes.subarray(HEAD_BYTES);
  }
}

function headersOf({ path, token }: UnaryCallOptions): OutgoingHttpHeaders {
  const headers = {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  return token === undefined ? headers : { ...headers, token };
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

function unsent(why: string): ServiceError {
  return rpcError(status.UNAVAILABLE, `no connection established: ${why}`);
}

/** The text of a status is percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
