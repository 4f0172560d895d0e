import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type * as Axios from 'axios';
import type { AxiosError, AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import { dependencyFailure } from '../../kernel/options/dependency-failure.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { admittedRequests } from './connection/admitted-requests.ts';
import { isStreamTooMuch, isUnprocessed, requiresHttp1 } from './connection/cause/http2-failure.ts';
import type { ConnectionPool } from './connection/connection-pool.ts';
import type { Http2Place, Http2SessionPool } from './connection/http2/http2-session-pool.ts';
import type { BodyTap } from './connection/tap/body-tap.ts';
import type { Credential } from './contract/credential.ts';
import type { RequestTiming } from './contract/request-timing.ts';

export interface AxiosSenderOptions {
  readonly pool: ConnectionPool;
  readonly runtime: Runtime;
}

export interface Answer {
  readonly response: AxiosResponse<Readable>;
  /** Source of the body when it comes past Node's parser. */
  readonly tap?: BodyTap | undefined;
}

export interface SendOptions {
  readonly config: AxiosRequestConfig & { readonly signal: AbortSignal };
  readonly credential: Credential | undefined;
  readonly ca: string | Buffer | undefined;
  /** Whether HTTP/2 is used if the server speaks it. */
  readonly http2: boolean;
  /** Whether the body is a stream: over HTTP/1.1 it comes past Node's parser. */
  readonly stream: boolean;
  readonly timing: RequestTiming | undefined;
  /** See `TransportRequest.admit`. */
  readonly admit: (() => void) | undefined;
}

/** A request that the server has not processed is sent again this often, after a random part of these milliseconds. */
const AGAIN_MS = [50, 200, 800];

/**
 * Sends one request through axios, on a connection of HTTP/1.1 or on a stream of HTTP/2.
 *
 * Guarantees:
 * - A read is sent once more when its kept connection turns out to be closed; a write is not, because it may have arrived.
 * - Over HTTP/2 every request is sent again when the server says that it has not processed it (REFUSED_STREAM, or GOAWAY before the
 *   request): three times, within a second. A read also when its stream was too much for the server (ENHANCE_YOUR_CALM).
 */
export class AxiosSender {
  readonly #options: AxiosSenderOptions;
  #http: AxiosInstance | undefined;

  constructor(options: AxiosSenderOptions) {
    this.#options = options;
  }

  /** @throws the error of axios, or of a connection. */
  async send(options: SendOptions): Promise<Answer> {
    const { pool } = this.#options;
    const { credential, ca } = options;
    if (options.http2) {
      const sessions = await pool.sessions(credential, ca);
      const answer = await this.#overHttp2(sessions, options);
      if (answer !== undefined) return answer;
    }
    return await this.#overHttp1(pool.agent(credential, ca), options);
  }

  async #overHttp1(agent: Agent, { config, timing, stream, admit }: SendOptions): Promise<Answer> {
    const guard = admit && admittedRequests(agent, admit);
    // A guarded request is a write, whose answer is no stream.
    const { pool } = this.#options;
    const own = guard ?? (stream ? pool.taps.transport : undefined);
    const transport = own && { transport: own };
    const response = await this.#try({
      ...config,
      ...transport,
      httpAgent: agent,
      httpsAgent: agent,
    }).catch((error: unknown) => {
      throw guard?.refusal ?? error;
    });
    const { socket, reusedSocket } = response.request as ClientRequest;
    if (timing !== undefined && !reusedSocket && socket !== null) {
      timing.connections += 1;
      timing.add('connection', pool.connectMs(socket) ?? 0);
    }
    return { response, tap: pool.taps.tapOf((response.data as IncomingMessage).socket ?? null) };
  }

  async #try(config: SendOptions['config']): Promise<AxiosResponse<Readable>> {
    try {
      return await this.#request(config);
    } catch (error) {
      // The server may close a kept connection at the moment it is used again. Only a read is sent again: a write may
      // have arrived, and its second copy would conflict with the first (net/http does the same).
      if (config.signal.aborted || config.method !== 'GET' || !foundClosed(error)) throw error;
      return await this.#request(config);
    }
  }

  /** Undefined: the server does not speak HTTP/2. */
  async #overHttp2(
    sessions: Http2SessionPool,
    { config, timing, admit }: SendOptions,
  ): Promise<Answer | undefined> {
    const { signal } = config;
    let foundDead = false;
    for (let refusals = 0; ; ) {
      const place = await this.#place(sessions, signal, timing);
      if (place === undefined) return undefined;
      try {
        const transport = place.transport(config.data !== undefined, admit);
        return { response: await this.#request({ ...config, transport }) };
      } catch (error) {
        if (signal.aborted) throw error;
        if (requiresHttp1(error)) {
          sessions.avoid();
          return undefined;
        }
        if (!foundDead && config.method === 'GET' && foundClosed(error)) {
          foundDead = true;
          continue;
        }
        const again = isUnprocessed(error) || (config.method === 'GET' && isStreamTooMuch(error));
        const waitMs = again ? AGAIN_MS[refusals] : undefined;
        if (waitMs === undefined) throw error;
        refusals += 1;
        const { runtime } = this.#options;
        await sleep(runtime, waitMs * runtime.random(), { signal });
      } finally {
        place.release();
      }
    }
  }

  async #place(
    sessions: Http2SessionPool,
    signal: AbortSignal,
    timing: RequestTiming | undefined,
  ): Promise<Http2Place | undefined> {
    const { runtime } = this.#options;
    const sinceMs = runtime.monotonicMs();
    try {
      const place = await sessions.place(signal);
      if (timing !== undefined && place?.reused === false) {
        timing.connections += 1;
        timing.add('connection', runtime.monotonicMs() - sinceMs);
      }
      return place;
    } catch (error) {
      // As axios does with the error of a connection: one that names a proxy gets the name of the request too.
      throw signal.aborted ? error : new Error('no connection', { cause: error });
    }
  }

  async #request(config: AxiosRequestConfig): Promise<AxiosResponse<Readable>> {
    const http = (this.#http ??= await openAxios());
    return await http.request<Readable>(config);
  }
}

/** axios takes longer to load than the rest of the package, so it is loaded by the first request. @throws {ListwatchError} DEPENDENCY */
async function openAxios(): Promise<AxiosInstance> {
  const { create } = await (loading ??= loadAxios());
  return create({
    adapter: 'http',
    responseType: 'stream',
    maxRedirects: 0,
    proxy: false,
    // The caller reads the status, and the Runtime has the timer.
    validateStatus: () => true,
    timeout: 0,
    transformRequest: [],
    transformResponse: [],
  });
}

/** One try: in a bundle a module that has failed once counts as loaded. */
let loading: Promise<typeof Axios> | undefined;

async function loadAxios(): Promise<typeof Axios> {
  try {
    return await import('axios');
  } catch (error) {
    throw dependencyFailure('axios', error);
  }
}

/** Whether a request broke because its kept connection was closed already. */
function foundClosed(error: unknown): boolean {
  const { code, request } = error as Partial<AxiosError<unknown, unknown>>;
  const { reusedSocket } = (request ?? {}) as { reusedSocket?: boolean };
  return reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE');
}
