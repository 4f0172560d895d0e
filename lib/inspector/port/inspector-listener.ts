import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { listenError, urlHost } from '../../kernel/failure/listen-address.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { sendAnswer, textAnswer, type Answer } from './answer.ts';
import type { RequestGuard } from './request-guard.ts';
import type { SnapshotFeed } from './snapshot-feed.ts';

/** A request that may be answered. */
export interface PageRequest {
  readonly query: URLSearchParams;
  /** Aborts when the client leaves, or the inspector is closed. */
  readonly signal: AbortSignal;
}

export interface PageRoute {
  /** @defaultValue 'GET' */
  readonly method?: 'POST' | undefined;
  /** Answered for every host and without the token: it must say nothing but that the program is well or not. */
  readonly open?: boolean | undefined;
  readonly answer: (request: PageRequest) => Promise<Answer> | Answer;
}

export interface InspectorListenerOptions {
  readonly guard: RequestGuard;
  readonly feed: SnapshotFeed;
  /** By path. */
  readonly routes: ReadonlyMap<string, PageRoute>;
  readonly logger: Logger;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const EVENTS_PATH = '/api/events';
const MOST_CONNECTIONS = 100;
const REQUEST_TIMEOUT_MS = 10_000;
const LARGEST_HEADERS_BYTES = 16 * 1024;
const LONGEST_PROBLEM = 500;

/** The HTTP port of an inspector. It reads no bodies. */
export class InspectorListener {
  readonly #options: InspectorListenerOptions;
  readonly #server: Server;
  readonly #stop = new AbortController();
  #address: ListenAddress | undefined;

  constructor(options: InspectorListenerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        maxHeaderSize: LARGEST_HEADERS_BYTES,
      },
      (request, response) => {
        void this.#serve(request, response);
      },
    );
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** `http://HOST:PORT`; empty before it listens. */
  get url(): string {
    if (this.#address === undefined) return '';
    return `http://${urlHost(this.#address.host)}:${this.#address.port}`;
  }

  /** @throws {ListwatchError} code PORT_IN_USE or LISTEN_FAILED. */
  async listen({ host, port }: ListenAddress): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(listenError(error, host, port));
      });
      this.#server.listen(port, host, resolve);
    });
    this.#server.on('error', (error) => {
      this.#options.logger.error('the inspector failed', { error });
    });
    this.#address = { host, port: (this.#server.address() as AddressInfo).port };
  }

  /** Ends all connections. Calling again has no effect. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    request.resume();
    // A client that leaves in the middle is no failure.
    response.on('error', () => {});
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
    try {
      if (path === EVENTS_PATH && method === 'GET' && this.#refusal(request) === undefined) {
        await this.#options.feed.connect(response);
        return;
      }
      const answer = await this.#answer(request, response, path, new URLSearchParams(query));
      if (!response.destroyed) await sendAnswer(response, answer, method);
    } catch (error) {
      this.#options.logger.error('the inspector failed', { path, error });
      response.destroy();
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<Answer> {
    const { guard, routes } = this.#options;
    const route = routes.get(path);
    if (route?.open !== true) {
      const refused = path === '/' ? guard.refuseHost(request) : this.#refusal(request);
      const entered = refused === undefined && path === '/' ? this.#entry(query) : undefined;
      const answer = refused ?? entered ?? (path === '/' ? this.#refusal(request) : undefined);
      if (answer !== undefined) return answer;
    }
    if (route === undefined) {
      return textAnswer(404, `No such page; there are ${[...routes.keys()].join(', ')}`);
    }
    const { method = 'GET' } = request;
    const wanted = route.method ?? 'GET';
    if (method !== wanted && !(wanted === 'GET' && method === 'HEAD')) {
      return textAnswer(405, `Only ${wanted} is answered here.`);
    }
    return await this.#called(route, response, query);
  }

  async #called(
    route: PageRoute,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<Answer> {
    // Its listener goes with the response: a page asks for days.
    const left = deriveAbort(this.#stop.signal);
    response.once('close', () => {
      left.abort();
    });
    try {
      return await route.answer({ query, signal: left.signal });
    } catch (error) {
      return textAnswer(500, errorMessage(error).slice(0, LONGEST_PROBLEM));
    }
  }

  #refusal(request: IncomingMessage): Answer | undefined {
    const { guard } = this.#options;
    return guard.refuseHost(request) ?? guard.refuse(request, this.#address?.port ?? 0);
  }

  /** The address with the token becomes a cookie, so that the token does not stay in the address. */
  #entry(query: URLSearchParams): Answer | undefined {
    const { guard } = this.#options;
    const token = query.get('token');
    if (token === null || !guard.asksForToken) return undefined;
    const cookie = guard.cookieFor(token, this.#address?.port ?? 0);
    if (cookie === undefined) {
      return textAnswer(401, 'The token is wrong. Open the address that the program printed.');
    }
    const headers = { location: '/', 'set-cookie': cookie };
    return { ...textAnswer(303, 'See /'), headers };
  }
}
