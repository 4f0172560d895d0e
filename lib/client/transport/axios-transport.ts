import { asBuffer } from '../../kernel/as-buffer.ts';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import type { AxiosError, AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import { abortable, deriveAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { IdleWatchdog } from '../../kernel/idle-watchdog.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { connectionFailure } from './connection/connection-failure.ts';
import { limitConnecting } from './connection/limit-connecting.ts';
import { reuseReadMemory } from './connection/reuse-read-memory.ts';
import { isLoopback, parseServerAddress } from './contract/server-address.ts';
import { StreamBody } from './body/stream-body.ts';
import { TransportError, type ExchangeTarget } from './contract/transport-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './contract/transport.ts';

/** A bearer token, or a function that returns the current token before each request. */
export type TokenSource = string | (() => string | Promise<string>);

/** PEM texts or their bytes. */
export interface TlsOptions {
  /** The certificate authorities to trust. Left out: the authorities of Node. */
  readonly ca?: string | Uint8Array | undefined;
  /** The client's certificate, for mutual TLS. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** The host name that the certificate must have. Left out: the host of the address. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate: an attacker on the network path can read and change everything. @defaultValue false */
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface AxiosTransportOptions {
  /** The server's address, e.g. `https://10.0.0.1:6443`; it may have a path. */
  readonly server: string;
  readonly token?: TokenSource | undefined;
  /** Sends the token over plain HTTP to another machine too, readable on the whole network path. @defaultValue false */
  readonly allowTokenOverHttp?: boolean | undefined;
  readonly tls?: TlsOptions | undefined;
  /**
   * The longest wait for connection and response headers together, milliseconds; `Infinity` for no limit. It also applies to
   * each next piece of a body that is not a stream. For these pieces, and for the headers of a stream, it is at most 30 000.
   * @defaultValue 75 000, longer than the 60 s after which an API server ends a request with an error
   */
  readonly requestTimeoutMs?: number | undefined;
  /** @defaultValue 'listwatch' */
  readonly userAgent?: string | undefined;
  readonly runtime?: Runtime | undefined;
}

const KNOWN_OPTIONS: readonly (keyof AxiosTransportOptions)[] = [
  'server',
  'token',
  'allowTokenOverHttp',
  'tls',
  'requestTimeoutMs',
  'userAgent',
  'runtime',
];

/**
 * A server sends the rest of an answer, or the headers of a stream, without a pause. After this time, milliseconds, it counts
 * as unreachable. If a proxy holds headers back until there is an event, the stream is opened again, and no event is lost.
 */
const LONGEST_PAUSE_MS = 30_000;

/** The time limit for a connection with TLS, milliseconds (client-go transport/cache.go TLSHandshakeTimeout @ 32ce75a7). */
const LONGEST_CONNECTING_MS = 10_000;

/** The most idle connections kept for a server (client-go rest transport cache idleConnsPerHost @ 32ce75a7). */
const IDLE_CONNECTIONS = 25;

/**
 * HTTP/1.1 through axios, over kept connections.
 *
 * Guarantees:
 * - One connection serves request after request; a watch has one of its own.
 * - A slow reader of a body slows the server down; leaving the body, or aborting the signal, closes its connection at once.
 * - Tokens and keys are not part of errors, and are not shown when the transport is printed.
 * - Redirects are not followed, and no proxy is used, even if the environment sets one.
 */
export class AxiosTransport implements Transport {
  readonly server: string;
  readonly #userAgent: string;
  #http: AxiosInstance | undefined;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #token: TokenSource | undefined;
  readonly #requestTimeoutMs: number;
  readonly #runtime: Runtime;
  readonly #running = new Set<DerivedAbort>();
  #closed = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: AxiosTransportOptions) {
    const owner = 'AxiosTransport';
    rejectUnknownOptions(owner, options, KNOWN_OPTIONS);
    const address = parseServerAddress(options.server);
    this.server = address.text;
    this.#token = options.token;
    this.#runtime = options.runtime ?? realRuntime;
    const { requestTimeoutMs } = options;
    const rule = { min: 1 };
    this.#requestTimeoutMs = numberOption(
      owner,
      'requestTimeoutMs',
      requestTimeoutMs,
      75_000,
      rule,
    );
    if (options.token !== undefined && !address.secure && !isLoopback(address.host)) {
      refuseTokenOverHttp(address.text, options.allowTokenOverHttp);
    }
    const { secure } = address;
    const agent = secure ? secureAgent(options.tls ?? {}) : new HttpAgent(keepAlive);
    const limitMs = this.#requestTimeoutMs === Infinity ? Infinity : LONGEST_CONNECTING_MS;
    const limit = { runtime: this.#runtime, limitMs, secure };
    this.#agent = limitConnecting(reuseReadMemory(agent), limit);
    this.#userAgent = options.userAgent ?? 'listwatch';
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) throw this.#closedError();
    request.signal?.throwIfAborted();
    return await this.#exchange(request);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const exchange of this.#running) exchange.abort(this.#closedError());
    this.#running.clear();
    this.#agent.destroy();
  }

  async #exchange(request: TransportRequest): Promise<TransportResponse> {
    const target = { server: this.server, method: request.method, path: request.path };
    const abort = deriveAbort(request.signal);
    const streams = request.stream === true;
    const limitMs = this.#requestTimeoutMs;
    const pauseMs = limitMs === Infinity ? Infinity : Math.min(limitMs, LONGEST_PAUSE_MS);
    const guard = this.#guard(target, abort, streams ? pauseMs : limitMs);
    const bodyGuard = this.#guard(target, abort, streams ? Infinity : pauseMs);
    this.#running.add(abort);
    const finish = (): void => {
      guard.stop();
      bodyGuard.stop();
      abort.dispose();
      this.#running.delete(abort);
    };
    const explain = (error: unknown): unknown =>
      abort.signal.aborted ? abort.signal.reason : connectionFailure(error, target);

    guard.expect();
    try {
      const authorization = await abortable(this.#authorization(), abort.signal);
      const response = await this.#request(request, authorization, abort.signal).catch(
        (error: unknown) => {
          throw explain(error);
        },
      );
      guard.stop();
      const stream = response.data;
      // Aborting emits an error on the stream, which has no other listener before it is read.
      stream.on('error', () => {});
      stream.once('close', finish);
      if (response.status >= 300 && response.status < 400) {
        stream.destroy();
        throw redirectRefused(target, response.status);
      }
      return {
        status: response.status,
        headers: plainHeaders(response.headers),
        body: new StreamBody({
          stream,
          runtime: this.#runtime,
          guard: bodyGuard,
          signal: abort.signal,
          explain,
        }),
      };
    } catch (error) {
      finish();
      throw error;
    }
  }

  async #request(
    { method, path, headers, body, stream }: TransportRequest,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<AxiosResponse<Readable>> {
    const config: AxiosRequestConfig = {
      method,
      url: this.server + path,
      headers: {
        ...headers,
        'accept-encoding': stream === true ? 'identity' : 'gzip',
        ...(authorization === undefined ? {} : { authorization }),
      },
      // axios would send the whole ArrayBuffer of a plain Uint8Array, not only its part.
      ...(body === undefined ? {} : { data: asBuffer(body) }),
      // Always set: some proxies compress answers that were requested without compression.
      decompress: true,
      signal,
    };
    const http = (this.#http ??= await this.#openAxios());
    try {
      return await http.request<Readable>(config);
    } catch (error) {
      // The server may close a kept connection at the moment it is used again. Only a read is sent again: a write may
      // have arrived, and its second copy would conflict with the first (net/http does the same).
      if (signal.aborted || method !== 'GET' || !foundClosed(error)) throw error;
      return await http.request<Readable>(config);
    }
  }

  /** axios takes longer to load than the rest of the package, so it is loaded by the first request. */
  async #openAxios(): Promise<AxiosInstance> {
    const { create } = await import('axios');
    return create({
      adapter: 'http',
      httpAgent: this.#agent,
      httpsAgent: this.#agent,
      responseType: 'stream',
      maxRedirects: 0,
      proxy: false,
      // The caller judges the status, and the Runtime has the timer.
      validateStatus: () => true,
      timeout: 0,
      transformRequest: [],
      transformResponse: [],
      headers: { 'User-Agent': this.#userAgent },
    });
  }

  async #authorization(): Promise<string | undefined> {
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    if (token === undefined || token === '') return undefined;
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        'the bearer token has spaces or characters that cannot stand in a header',
      );
    }
    return `Bearer ${token}`;
  }

  #guard(target: ExchangeTarget, abort: DerivedAbort, limitMs: number): IdleWatchdog {
    const guard = new IdleWatchdog(this.#runtime);
    guard.limit({
      limitMs,
      onIdle: () => {
        const raise = limitMs === this.#requestTimeoutMs ? ', or raise requestTimeoutMs' : '';
        const problem = `no answer within ${limitMs} ms; check that the server is reachable${raise}`;
        abort.abort(new TransportError('REQUEST_TIMEOUT', target, problem));
      },
    });
    return guard;
  }

  #closedError(): ListwatchError {
    return new ListwatchError('CLOSED', `the connection to ${this.server} was closed by its owner`);
  }
}

/** Whether a request broke because its kept connection was closed already. */
function foundClosed(error: unknown): boolean {
  const { code, request } = error as Partial<AxiosError<unknown, unknown>>;
  const { reusedSocket } = (request ?? {}) as { reusedSocket?: boolean };
  return reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

const keepAlive = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS };

function secureAgent({ ca, cert, key, serverName, insecureSkipVerify }: TlsOptions): HttpsAgent {
  return new HttpsAgent({
    ...keepAlive,
    rejectUnauthorized: insecureSkipVerify !== true,
    ...(ca === undefined ? {} : { ca: pem(ca) }),
    ...(cert === undefined ? {} : { cert: pem(cert) }),
    ...(key === undefined ? {} : { key: pem(key) }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
}

function pem(value: string | Uint8Array): string | Buffer {
  return typeof value === 'string' ? value : asBuffer(value);
}

function plainHeaders(headers: object): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    if (typeof value === 'string') plain[name] = value;
    else if (Array.isArray(value)) plain[name] = value.join(', ');
  }
  return plain;
}

function redirectRefused(target: ExchangeTarget, status: number): TransportError {
  const problem =
    `the server answered with a redirect (HTTP ${status}), and credentials are not sent on; ` +
    'use the address of the API server itself';
  return new TransportError('REDIRECT_REFUSED', target, problem);
}

function refuseTokenOverHttp(server: string, allowed: boolean | undefined): void {
  if (allowed === true) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `a token for ${server} would be sent in plain text; use https, or set allowTokenOverHttp`,
  );
}
