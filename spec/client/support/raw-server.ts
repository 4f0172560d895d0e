import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
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
  readonly #server: ReturnType<typeof createServer>;
  readonly #scheme: string;

  private constructor(script: Script, tls: ServerOptions | undefined) {
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
    this.#server =
      tls === undefined ? createServer(listener) : createSecureServer({ ...tls }, listener);
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static async start(script: Script, tls?: ServerOptions): Promise<RawServer> {
    const server = new RawServer(script, tls);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status: number = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Closes the connection with a reset instead of a regular end. */
export function reset(response: ServerResponse): void {
  (response.socket as Socket).resetAndDestroy();
}
