import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  createSecureServer as createSecureHttp2Server,
  createServer as createHttp2Server,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Script = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
) => void | Promise<void>;

/** A server on a free port of the loopback that does what a spec scripts, and keeps count. */
export class RawServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  /** Connections that are open now. */
  readonly sockets: Set<Socket> = new Set();
  /** Connections that were ever made. */
  connections = 0;
  /** Open streams of HTTP/2. */
  streams = 0;
  readonly #server: ReturnType<typeof createServer>;
  readonly #http2: boolean;
  readonly #scheme: string;

  private constructor(script: Script, tls: ServerOptions | undefined, http2: boolean) {
    this.#http2 = http2;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const body = Buffer.concat(pieces);
        this.requests.push({ method, url, headers, body });
        void script(request, response, body);
      });
    };
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server = http2 ? http2Server(tls) : http1Server(tls);
    this.#server.on('request', listener);
    this.#server.on('session', (session: ServerHttp2Session) => {
      session.on('stream', (stream) => {
        this.streams += 1;
        stream.on('error', () => {});
        stream.once('close', () => (this.streams -= 1));
      });
    });
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static async start(
    script: Script,
    tls?: ServerOptions,
    http2: boolean = false,
  ): Promise<RawServer> {
    const server = new RawServer(script, tls, http2);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Open handles of clients: connections, or streams of HTTP/2. */
  get open(): number {
    return this.#http2 ? this.streams : this.sockets.size;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#http2) this.#server.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function http1Server(tls: ServerOptions | undefined): ReturnType<typeof createServer> {
  return tls === undefined ? createServer() : createSecureServer({ ...tls });
}

/** Its requests and responses have the interface of those of HTTP/1.1. */
function http2Server(tls: ServerOptions | undefined): ReturnType<typeof createServer> {
  const server = tls === undefined ? createHttp2Server() : createSecureHttp2Server({ ...tls });
  return server as unknown as ReturnType<typeof createServer>;
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status: number = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Closes the connection before the end of an answer. */
export function reset(response: ServerResponse): void {
  const { stream } = response as unknown as Partial<Http2ServerResponse>;
  if (stream !== undefined) return stream.session?.destroy();
  (response.socket as Socket).resetAndDestroy();
}
