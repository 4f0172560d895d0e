import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { headerLinesOf } from './header-lines.ts';

export interface Http2SessionsOptions {
  /** Called for each request. */
  readonly serve: (stream: ServerHttp2Stream, request: Http2Request) => void;
  readonly runtime: Runtime;
  /** Maximum total size of the headers of a request. */
  readonly largestHeadersBytes: number;
  /** How long a connection without requests is kept, milliseconds. */
  readonly keepAliveMs: number;
}

/** The head of a request. */
export interface Http2Request {
  readonly method: string;
  readonly url: string;
  /** With `host`, and without the pseudo-headers. */
  readonly headers: ApiRequest['headers'];
  readonly headerLines: ApiRequest['headerLines'];
  /** The connection that it came on. */
  readonly socket: Socket;
  /** The answer, if the head alone is reason to refuse the request. */
  readonly refusal?: ApiResponse | undefined;
}

/**
 * Streams in one connection, and bytes that a client may send before the server has read them: those of kube-apiserver.
 * @see apiserver pkg/server/secure_serving.go @ v0.36.3
 */
const MOST_STREAMS = 100;
const WINDOW_BYTES = 256 * 1024;
/** Memory of a connection, megabytes: of all bodies that its streams may send at once. Further streams are refused. */
const SESSION_MEMORY_MB = 64;
/** Each header counts with so many bytes beside its own. @see RFC 9113 section 6.5.2 */
const HEADER_OVERHEAD_BYTES = 32;

/** A client that has not answered a ping in time is gone, as in the health check of client-go. Milliseconds. */
const PING_EVERY_MS = 30_000;
const PONG_WITHIN_MS = 15_000;

/**
 * The connections of HTTP/2: each carries many requests at once, also watches, each of them at the pace of its reader.
 *
 * Guarantees:
 * - A connection that has had no request for `keepAliveMs` is closed.
 * - A connection that does not answer a ping is closed. One whose client broke the protocol is not read any more, and says nothing of it.
 * - `close` notifies every client that it must not send further requests; running ones end.
 */
export class Http2Sessions {
  readonly #options: Http2SessionsOptions;
  /** Made for the first connection: many servers never have one. */
  #made: Http2Server | undefined;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(options: Http2SessionsOptions) {
    this.#options = options;
  }

  /** Takes a connection whose client has chosen HTTP/2. It ends when the client sends nothing more, as in kube-apiserver. */
  serve(socket: Duplex): void {
    socket.on('end', () => socket.destroy());
    const accept = (session: ServerHttp2Session): void => {
      this.#accept(session, socket);
    };
    this.#made ??= this.#makeServer();
    const server = this.#made;
    server.once('session', accept);
    server.emit('connection', socket);
    server.off('session', accept);
  }

  close(): void {
    for (const session of this.#sessions) session.close();
  }

  #makeServer(): Http2Server {
    const { largestHeadersBytes } = this.#options;
    const server = createServer({
      maxSessionMemory: SESSION_MEMORY_MB,
      // Their size is bounded.
      maxHeaderListPairs: Math.floor(largestHeadersBytes / HEADER_OVERHEAD_BYTES),
      settings: {
        maxConcurrentStreams: MOST_STREAMS,
        initialWindowSize: WINDOW_BYTES,
        maxFrameSize: WINDOW_BYTES,
        maxHeaderListSize: largestHeadersBytes,
        enablePush: false,
      },
    });
    // A session that breaks the protocol is destroyed; there is nothing else to do about it.
    server.on('sessionError', () => {});
    return server;
  }

  #accept(session: ServerHttp2Session, connection: Duplex): void {
    this.#sessions.add(session);
    if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES * MOST_STREAMS);
    const { runtime, keepAliveMs } = this.#options;
    let streams = 0;
    let idle: Timer = runtime.setTimer(keepAliveMs, () => {
      session.close();
    });
    const pings = this.#ping(session, connection);
    session.on('error', () => {});
    session.on('close', () => {
      idle.cancel();
      pings.cancel();
      this.#sessions.delete(session);
    });
    const accept = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      raw: readonly string[],
    ): void => {
      idle.cancel();
      streams += 1;
      stream.on('close', () => {
        streams -= 1;
        if (streams > 0 || session.closed) return;
        idle = runtime.setTimer(keepAliveMs, () => {
          session.close();
        });
      });
      this.#options.serve(stream, requestOf(headers, raw, session.socket));
    };
    session.on('stream', accept);
  }

  #ping(session: ServerHttp2Session, connection: Duplex): Pick<Timer, 'cancel'> {
    const { runtime } = this.#options;
    const ping = (): void => {
      // Its event `close` is still to come.
      if (session.destroyed) return;
      timer = runtime.setTimer(PONG_WITHIN_MS, () => {
        session.destroy();
        // A session that is not read waits for its connection.
        connection.destroy();
      });
      session.ping(() => {
        timer.cancel();
        if (!session.destroyed) timer = runtime.setTimer(PING_EVERY_MS, ping);
      });
    };
    let timer = runtime.setTimer(PING_EVERY_MS, ping);
    return {
      cancel: () => {
        timer.cancel();
      },
    };
  }
}

function requestOf(all: IncomingHttpHeaders, raw: readonly string[], socket: Socket): Http2Request {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(all)) {
    if (!name.startsWith(':')) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  // It names the host, whatever a header says. @see RFC 9113 section 8.3.1
  const authority = all[':authority'] ?? '';
  if (authority !== '') headers['host'] = authority;
  const headerLines = headerLinesOf(all, raw);
  const [method = 'GET', url = '/'] = [all[':method'], all[':path']];
  return { method, url, headers, headerLines, socket };
}
