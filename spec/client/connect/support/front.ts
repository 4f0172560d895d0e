import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import {
  Agent as HttpsAgent,
  createServer,
  request as httpsRequest,
  type Server,
} from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { IssuedCertificate } from '../../support/test-authority.ts';
import type { Accepted } from './accepted.ts';

export interface FrontTarget {
  /** The address of the API server. */
  readonly server: string;
  /** The bearer token that the API server accepts. */
  readonly token: string;
  /** PEM. Left out: the address is http. */
  readonly authority?: string | undefined;
}

export interface FrontOptions {
  readonly target: FrontTarget;
  readonly certificate: IssuedCertificate;
  readonly accepted: Accepted;
}

/** The requests of the front since it started. */
export interface FrontCounts {
  /** TLS connections that were made. */
  connections: number;
  requests: number;
  /** Answers 401. */
  unauthorized: number;
  /** Requests for a list of ConfigMaps that were let in. */
  lists: number;
  /** Requests for a watch that were let in. */
  watches: number;
}

const UNAUTHORIZED = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
});

/** The collection that the specs of credentials work with. */
const LISTED = /\/configmaps$/;

/**
 * An HTTPS server before an API server. It asks for a credential, as a cluster does: a client that presents none that is accepted
 * gets 401, also with a certificate of a foreign authority. What is accepted may change at any time, for requests on open
 * connections too. Requests that are let in go to the API server with the token of that one.
 */
export class Front implements AsyncDisposable {
  readonly counts: FrontCounts = {
    connections: 0,
    requests: 0,
    unauthorized: 0,
    lists: 0,
    watches: 0,
  };
  /** Requests by method and path without query, also those that were refused. */
  readonly requestsByPath: Map<string, number> = new Map();
  /** The values of all authorization headers, without their scheme. */
  readonly presented: Set<string> = new Set();
  readonly #target: FrontTarget;
  readonly #agent: HttpAgent;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  /** The running watches, with what ends them. */
  readonly #watches = new Map<ServerResponse, () => void>();
  #accepted: Accepted;

  private constructor({ target, certificate, accepted }: FrontOptions) {
    this.#target = target;
    this.#accepted = accepted;
    const options = { keepAlive: true, ca: target.authority };
    this.#agent = target.authority === undefined ? new HttpAgent(options) : new HttpsAgent(options);
    this.#server = createServer(
      {
        cert: certificate.certificate,
        key: certificate.privateKey,
        requestCert: true,
        // The certificate is checked for each request, so that a refused one gets a 401.
        rejectUnauthorized: false,
        keepAliveTimeout: 120_000,
      },
      (request, response) => {
        this.#serve(request, response);
      },
    );
    this.#server.on('secureConnection', (socket) => {
      this.counts.connections += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** From now on only this is accepted. */
  accept(accepted: Accepted): void {
    this.#accepted = accepted;
  }

  /** New connections get this certificate. */
  present({ certificate, privateKey }: IssuedCertificate): void {
    this.#server.setSecureContext({ cert: certificate, key: privateKey });
  }

  /** Ends the running watches in good order; their connections stay open. */
  endWatches(): void {
    for (const end of this.#watches.values()) end();
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#agent.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    const [path = '', query = ''] = url.split('?', 2);
    this.counts.requests += 1;
    const [, credential] = (request.headers.authorization ?? '').split(' ', 2);
    if (credential !== undefined) this.presented.add(credential);
    const name = `${request.method} ${path}`;
    this.requestsByPath.set(name, (this.requestsByPath.get(name) ?? 0) + 1);
    if (!this.#accepted({ headers: request.headers, certificate: certificateOf(request) })) {
      this.counts.unauthorized += 1;
      request.resume();
      response.writeHead(401, { 'content-type': 'application/json' }).end(UNAUTHORIZED);
      return;
    }
    const watches = /(?:^|&)watch=(?:true|1)(?:&|$)/.test(query);
    if (watches) this.counts.watches += 1;
    else if (request.method === 'GET' && LISTED.test(path)) this.counts.lists += 1;
    this.#forward(request, response, watches);
  }

  #forward(request: IncomingMessage, response: ServerResponse, watches: boolean): void {
    const upstream = this.#request({
      method: request.method,
      path: request.url,
      headers: this.#headers(request),
      agent: this.#agent,
    });
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      if (!watches) return;
      this.#watches.set(response, () => {
        answer.removeAllListeners('error').on('error', () => {});
        answer.unpipe(response);
        response.end();
      });
      response.once('close', () => this.#watches.delete(response));
    });
    upstream.on('error', () => response.destroy());
    response.on('error', () => upstream.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  #request(options: RequestOptions): ClientRequest {
    const url = new URL(this.#target.server);
    return url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
  }

  /** Without the credential of the sender, and without the headers that belong to a connection. */
  #headers({ headers }: IncomingMessage): Record<string, string | string[]> {
    const sent: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || /^(?:host|connection|authorization|impersonate-.*)$/.test(name)) {
        continue;
      }
      sent[name] = value;
    }
    return {
      ...sent,
      host: new URL(this.#target.server).host,
      authorization: `Bearer ${this.#target.token}`,
    };
  }
}

function certificateOf({ socket }: IncomingMessage): X509Certificate | undefined {
  return (socket as TLSSocket).getPeerX509Certificate();
}
