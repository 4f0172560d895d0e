import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TestAuthority } from './test-authority.ts';

export type StreamScript = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

export interface Http2ServerOptions {
  readonly script: StreamScript;
  /** SETTINGS_MAX_CONCURRENT_STREAMS. @defaultValue 100 */
  readonly limit?: number | undefined;
  /** Offers HTTP/1.1 only. @defaultValue false */
  readonly onlyHttp1?: boolean | undefined;
}

const authority = new TestAuthority();
const { certificate: cert, privateKey: key } = authority.server();

/** An HTTP/2 server on a free port of the loopback that does what a spec scripts, and counts sessions and streams. */
export class Http2Server implements AsyncDisposable {
  /** The authority that trusts it. */
  static readonly ca: string = authority.certificate;
  /** Its certificate and key. */
  static readonly identity: { readonly cert: string; readonly key: string } = { cert, key };
  readonly sessions: Set<ServerHttp2Session> = new Set();
  readonly streams: Set<ServerHttp2Stream> = new Set();
  readonly sockets: Set<Socket> = new Set();
  /** Sessions that were ever opened. */
  sessionsOpened = 0;
  /** Streams that were ever opened. */
  streamsOpened = 0;
  /** The most streams that one session has had at once. */
  mostStreams = 0;
  /** Pings that have arrived. */
  pings = 0;
  /** The error codes with which clients have reset streams. */
  readonly resets: number[] = [];
  readonly #server: Http2SecureServer | HttpsServer;

  private constructor({ script, limit = 100, onlyHttp1 = false }: Http2ServerOptions) {
    const settings = { maxConcurrentStreams: limit };
    this.#server = onlyHttp1
      ? createHttpsServer({ cert, key })
      : createSecureServer({ cert, key, allowHTTP1: true, maxSessionMemory: 1000, settings });
    this.#server.on('secureConnection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.#server.on('session', (session: ServerHttp2Session) => this.#accept(session, script));
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.httpVersionMajor === 1) response.end('over HTTP/1.1');
    });
  }

  static async start(options: Http2ServerOptions): Promise<Http2Server> {
    const server = new Http2Server(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** From now on, sessions of now and later ones have this SETTINGS_MAX_CONCURRENT_STREAMS. */
  changeLimit(limit: number): void {
    const settings = { maxConcurrentStreams: limit };
    if ('updateSettings' in this.#server) this.#server.updateSettings(settings);
    for (const session of this.sessions) session.settings(settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(session: ServerHttp2Session, script: StreamScript): void {
    this.sessionsOpened += 1;
    this.sessions.add(session);
    session.on('error', () => {});
    session.on('ping', () => (this.pings += 1));
    session.once('close', () => this.sessions.delete(session));
    let streams = 0;
    session.on('stream', (stream, headers) => {
      this.streamsOpened += 1;
      streams += 1;
      this.mostStreams = Math.max(this.mostStreams, streams);
      this.streams.add(stream);
      stream.on('error', () => {});
      stream.once('close', () => {
        streams -= 1;
        this.streams.delete(stream);
        if (stream.rstCode) this.resets.push(stream.rstCode);
      });
      script(stream, headers);
    });
  }
}

/** Answers and stays open, as a watch does. */
export const watchScript: StreamScript = (stream) => {
  stream.respond({ ':status': 200 });
  stream.write('first');
};
