import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { listenError, urlHost } from '../../kernel/failure/listen-address.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { EndpointOptions } from './manager-options.ts';

/** The answer to a GET. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export type PageOf = (query: URLSearchParams) => Promise<Page>;

/** Probes and scrapes need few connections, and send no bodies. */
const MOST_CONNECTIONS = 100;
const REQUEST_TIMEOUT_MS = 10_000;

export function textPage(status: number, text: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', text };
}

/** A small HTTP server of a few pages, for probes and Prometheus. */
export class EndpointServer {
  readonly #pages: ReadonlyMap<string, PageOf>;
  readonly #logger: Logger;
  readonly #server: Server;
  #url: string | undefined;

  /** @param pages by path */
  constructor(pages: ReadonlyMap<string, PageOf>, logger: Logger) {
    this.#pages = pages;
    this.#logger = logger;
    const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
    this.#server = createServer(limits, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** `http://HOST:PORT`, once it listens. */
  get url(): string | undefined {
    return this.#url;
  }

  /** @throws {ListwatchError} code PORT_IN_USE or LISTEN_FAILED. */
  async listen({ port, host = '127.0.0.1' }: EndpointOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(listenError(error, host, port));
      });
      this.#server.listen(port, host, resolve);
    });
    this.#server.on('error', (error) => {
      this.#logger.error('the endpoints failed', { error });
    });
    const { port: taken } = this.#server.address() as AddressInfo;
    this.#url = `http://${urlHost(host)}:${taken}`;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, text } = await this.#page(request);
    response.writeHead(status, {
      'content-type': contentType,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  async #page({ method = '', url = '/' }: IncomingMessage): Promise<Page> {
    if (method !== 'GET' && method !== 'HEAD') return textPage(405, 'only GET and HEAD\n');
    const [path = '', query] = url.split('?', 2);
    const page = this.#pages.get(path);
    const paths = [...this.#pages.keys()].join(', ');
    if (page === undefined) return textPage(404, `no such page; there are ${paths}\n`);
    try {
      return await page(new URLSearchParams(query));
    } catch (error) {
      this.#logger.error('a page of the endpoints failed', { path, error });
      return textPage(500, `${errorMessage(error)}\n`);
    }
  }
}
