import type { Agent as HttpAgent } from 'node:http';
import type { Readable } from 'node:stream';
import type { AxiosResponse } from 'axios';
import { abortable } from '../../kernel/time/abort.ts';
import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  credentialAfter,
  currentCredential,
  impersonationHeaders,
  refuseCredentialsInPlainText,
  tokenCredentials,
  type TokenSource,
} from './request-credentials.ts';
import { AxiosSender, type SendOptions } from './axios-sender.ts';
import { USER_AGENT } from './checked-user-agent.ts';
import { StreamBody } from './body/stream-body.ts';
import { tapOf } from './connection/tap/body-tap.ts';
import { isRefusedCertificate } from './connection/connection-failure.ts';
import { ConnectionPool } from './connection/connection-pool.ts';
import { proxyDialer } from './connection/proxy/proxy-dialer.ts';

import { samePem, type Credential, type CredentialSource } from './contract/credential.ts';
import { HTTP2, prefersHttp2, type Http2Option } from './contract/http2-option.ts';
import type { Impersonation } from './contract/impersonation.ts';
import { isLoopback, parseServerAddress, type ServerAddress } from './contract/server-address.ts';
import type { Timeouts } from './contract/timeouts.ts';
import type { TlsOptions } from './contract/tls-options.ts';
import { TransportError, type ExchangeTarget } from './contract/transport-error.ts';
import type { MessageSocket } from './contract/message-socket.ts';
import type { Transport, TransportRequest, TransportResponse } from './contract/transport.ts';
import type { TransportInspection } from './contract/transport-inspection.ts';
import { openWebSocket } from './web-socket/open-web-socket.ts';
import { HttpExchange } from './http-exchange.ts';
import { resolveTimeouts, type ResolvedTimeouts } from './resolve-timeouts.ts';

export interface AxiosTransportOptions {
  /** The server's address, e.g. `https://10.0.0.1:6443`; it may have a path. */
  readonly server: string;
  /** It excludes `credentials`. @defaultValue none */
  readonly token?: TokenSource | undefined;
  /** What requests present: a constant, a file, a plug-in. @defaultValue none */
  readonly credentials?: CredentialSource | undefined;
  /** The server carries out requests as this user. @defaultValue as the user of the credentials */
  readonly impersonate?: Impersonation | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Asks for bodies that are not compressed: for a fast network, where it saves time on both sides. @defaultValue false */
  readonly disableCompression?: boolean | undefined;
  /** `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` if the proxy asks for it. @defaultValue none */
  readonly proxy?: string | undefined;
  /** Which requests use HTTP/2. @defaultValue 'auto': new streams, while more than 100 are open */
  readonly http2?: Http2Option | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** @defaultValue 'listwatch' */
  readonly userAgent?: string | undefined;
  /** Reports the sessions of HTTP/2; `requestMetrics` has the names. @defaultValue none */
  readonly metrics?: Metrics | undefined;
  readonly runtime?: Runtime | undefined;
}

export const AXIOS_TRANSPORT: OptionsSchema<AxiosTransportOptions> =
  optionsOf<AxiosTransportOptions>()('AxiosTransport', {
    server: is.anything().required,
    token: is.anything(),
    credentials: is.object(),
    impersonate: is.object(),
    tls: is.object(),
    disableCompression: is.flag(),
    proxy: is.anything(),
    http2: HTTP2,
    timeouts: is.anything(),
    userAgent: USER_AGENT,
    metrics: is.object(),
    runtime: is.object(),
  });

/** The head of an answer, and its body. */
interface HttpAnswer extends Pick<AxiosResponse<Readable>, 'status' | 'data'> {
  readonly headers: object;
  /** The WebSocket that the connection has become; the body is empty then. */
  readonly socket?: MessageSocket | undefined;
}

interface Answer {
  readonly response: HttpAnswer;
  /** The one that was presented. */
  readonly credential: Credential | undefined;
}

/** An answer up to this size is read to its end, so that its connection can be used again; bytes. */
const DRAINED_BYTES = 64 * 1024;

/**
 * HTTP/1.1 and HTTP/2 through axios, over kept connections. The option `http2` says which; requests and answers are the same.
 *
 * Guarantees:
 * - Over HTTP/1.1, one connection serves request after request, and a watch has one of its own. Over HTTP/2, requests and watches
 *   share as few connections as the server allows.
 * - A slow reader of a body slows the server down, and nothing else. Leaving the body, or aborting the signal, closes its connection
 *   or its stream at once.
 * - After an answer 401 the credentials are looked up again; if they have changed, the request is sent once more.
 * - Rotated certificates and authorities apply to new requests; running requests are not interrupted. When the certificate of
 *   the server is refused, the authorities are looked up again; if they have changed, the request is sent once more.
 * - Tokens and keys are not part of errors, and are not shown when the transport is printed. They are sent over TLS or to this
 *   machine only.
 * - Redirects are not followed. The environment names no proxy here; `connect` reads it.
 */
export class AxiosTransport implements Transport {
  readonly server: string;
  readonly #headers: Readonly<Record<string, string | string[]>>;
  readonly #credentials: CredentialSource | undefined;
  readonly #ca: TlsOptions['ca'];
  readonly #compression: boolean;
  readonly #timeouts: ResolvedTimeouts;
  readonly #runtime: Runtime;
  readonly #pool: ConnectionPool;
  readonly #sender: AxiosSender;
  readonly #secure: boolean;
  readonly #metrics: Metrics | undefined;
  readonly #http2: Http2Option;
  readonly #running = new Set<HttpExchange>();
  /** The streams among the running requests. */
  #streams = 0;
  /** Those whose bodies come past the parser. */
  readonly #tapped = new Set<HttpExchange>();
  #closing: Promise<void> | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: AxiosTransportOptions) {
    const owner = 'AxiosTransport';
    AXIOS_TRANSPORT.read(options);
    const { credentials, token, impersonate, proxy, tls = {} } = options;
    if (credentials !== undefined && token !== undefined) {
      const problem = 'option "credentials" excludes "token"; give one or the other';
      throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
    }
    const address = parseServerAddress(options.server);
    this.server = address.text;
    this.#runtime = options.runtime ?? realRuntime;
    this.#timeouts = resolveTimeouts(owner, options.timeouts ?? {});
    this.#credentials = token === undefined ? credentials : tokenCredentials(token);
    if (this.#credentials !== undefined) {
      refuseCredentialsInPlainText(address, this.#credentials.source, isRemote(proxy));
    }
    this.#ca = tls.ca;
    this.#compression = options.disableCompression !== true;
    this.#secure = address.secure;
    this.#metrics = options.metrics;
    this.#http2 = options.http2 ?? 'auto';
    this.#pool = this.#openPool(address, tls, proxy);
    this.#sender = new AxiosSender({ pool: this.#pool, runtime: this.#runtime });
    this.#headers = {
      'User-Agent': options.userAgent ?? 'listwatch',
      ...(impersonate === undefined ? {} : impersonationHeaders(impersonate)),
    };
  }

  /** The number of connections made so far. */
  get connectionsOpened(): number {
    return this.#pool.opened;
  }

  inspect(): TransportInspection {
    return {
      server: this.server,
      connectionsOpened: this.connectionsOpened,
      requests: this.#running.size,
      streams: this.#streams,
      streamsPastParser: this.#tapped.size,
      sessions: this.#pool.inspectSessions(),
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closing !== undefined) throw this.#closedError();
    request.signal?.throwIfAborted();
    const { server } = this;
    const stream = holdsStream(request);
    if (stream) this.#streams += 1;
    const question = { secure: this.#secure, stream, openStreams: this.#streams };
    const exchange = new HttpExchange({
      request,
      http2: prefersHttp2(this.#http2, question),
      server,
      timeouts: this.#timeouts,
      runtime: this.#runtime,
    });
    this.#running.add(exchange);
    try {
      return await this.#exchange(exchange);
    } catch (error) {
      this.#finish(exchange);
      throw error;
    }
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      for (const { abort } of this.#running) abort.abort(this.#closedError());
      this.#running.clear();
      this.#closing = this.#pool.close();
    }
    return this.#closing;
  }

  #openPool(address: ServerAddress, tls: TlsOptions, proxy: string | undefined): ConnectionPool {
    const { connectMs } = this.#timeouts;
    const runtime = this.#runtime;
    // As in client-go, the settings of the cluster apply to an https proxy too; it gets no client certificate.
    const { ca, insecureSkipVerify } = tls;
    const proxyOptions = { runtime, connectMs, tls: { ca, insecureSkipVerify } };
    const dialer = proxy === undefined ? undefined : proxyDialer(proxy, proxyOptions);
    const { secure, text: server } = address;
    return new ConnectionPool({
      server,
      secure,
      tls,
      dialer,
      connectMs,
      runtime,
      onHttp2Change: this.#metrics === undefined ? undefined : this.#reportSessions,
    });
  }

  readonly #reportSessions = (): void => {
    const sessions = this.#pool.inspectSessions();
    const labels = { host: new URL(this.server).host };
    const streams = sessions.reduce((sum, one) => sum + one.streams, 0);
    this.#metrics?.gauge('listwatch_client_http2_sessions', sessions.length, labels);
    this.#metrics?.gauge('listwatch_client_http2_streams', streams, labels);
  };

  async #exchange(exchange: HttpExchange): Promise<TransportResponse> {
    const { response, credential } = await this.#accepted(exchange);
    exchange.headers.stop();
    const { data: stream, socket } = response;
    if (socket === undefined) stream.once('close', () => this.#finish(exchange));
    if (response.status >= 300 && response.status < 400 && response.status !== 304) {
      stream.destroy();
      throw redirectRefused(exchange.target, response.status);
    }
    if (response.status >= 400) exchange.refused();
    const { signal, explain } = exchange;
    const source = tapOf(stream);
    if (source !== undefined) this.#tapped.add(exchange);
    return {
      status: response.status,
      headers: plainHeaders(response.headers),
      credential: credential?.source,
      socket,
      body: new StreamBody({
        stream,
        source,
        runtime: this.#runtime,
        guard: exchange.body,
        signal,
        explain,
      }),
    };
  }

  /** The answer to the request; if the server refuses the credential, to the request with another one. */
  async #accepted(exchange: HttpExchange): Promise<Answer> {
    const credential = await this.#waited(
      exchange,
      currentCredential(this.#credentials, exchange.signal),
    );
    let response: HttpAnswer | undefined;
    try {
      response = await this.#answer(exchange, credential);
    } catch (error) {
      if (credential?.cert === undefined || !mayBeTheCertificate(error, exchange)) throw error;
      const other = await this.#another(exchange, credential);
      if (other === undefined) throw error;
      return { response: await this.#answer(exchange, other), credential: other };
    }
    if (response.status !== 401 || credential === undefined) return { response, credential };
    let other: Credential | undefined;
    try {
      other = await this.#another(exchange, credential);
    } catch (error) {
      // The caller gets this error, and never reads the answer, which would keep its connection.
      response.data.destroy();
      throw error;
    }
    if (other === undefined) return { response, credential };
    await drained(response.data);
    return { response: await this.#answer(exchange, other), credential: other };
  }

  async #another(exchange: HttpExchange, rejected: Credential): Promise<Credential | undefined> {
    exchange.headers.pause();
    const other = await this.#waited(
      exchange,
      credentialAfter(rejected, this.#credentials, exchange.signal),
    );
    const { timing } = exchange.request;
    if (timing !== undefined && other !== undefined) timing.refreshes += 1;
    return other;
  }

  async #waited<R>({ request }: HttpExchange, found: Promise<R>): Promise<R> {
    const { timing } = request;
    if (timing === undefined) return await found;
    const sinceMs = this.#runtime.monotonicMs();
    try {
      return await found;
    } finally {
      timing.add('credential', this.#runtime.monotonicMs() - sinceMs);
    }
  }

  #finish(exchange: HttpExchange): void {
    exchange.finish();
    this.#tapped.delete(exchange);
    if (this.#running.delete(exchange) && holdsStream(exchange.request)) this.#streams -= 1;
  }

  /** The answer with the authorities of now; if they do not fit the server, with those that have replaced them. */
  async #answer(exchange: HttpExchange, credential: Credential | undefined): Promise<HttpAnswer> {
    const ca = await this.#authorities(exchange.signal);
    try {
      return await this.#attempt(exchange, credential, ca);
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== 'CERTIFICATE') throw error;
      exchange.headers.pause();
      const replaced = await this.#authorities(exchange.signal, true);
      if (samePem(replaced, ca)) throw error;
      return await this.#attempt(exchange, credential, replaced);
    }
  }

  /** Sends the request once, and resolves when the headers have arrived. */
  async #attempt(
    exchange: HttpExchange,
    credential: Credential | undefined,
    ca: string | Buffer | undefined,
  ): Promise<HttpAnswer> {
    exchange.sent();
    const {
      http2,
      request: { timing, stream = false, admit },
    } = exchange;
    try {
      const config = this.#config(exchange, credential);
      const response =
        exchange.request.webSocket === undefined
          ? await this.#sender.send({ config, credential, ca, http2, timing, stream, admit })
          : await this.#upgrade(exchange, credential, this.#pool.upgradeAgent(credential, ca));
      // Aborting emits an error on the stream, which has no other listener before it is read.
      response.data.on('error', () => {});
      return response;
    } catch (error) {
      throw exchange.explain(error);
    }
  }

  #config(
    { request: { method, path, headers, body, stream }, signal }: HttpExchange,
    credential: Credential | undefined,
  ): SendOptions['config'] {
    const authorization = credential?.authorization;
    return {
      method,
      url: this.server + path,
      headers: {
        ...this.#headers,
        ...headers,
        'accept-encoding': stream === true || !this.#compression ? 'identity' : 'gzip',
        ...(authorization === undefined ? {} : { authorization }),
      },
      // axios would send the whole ArrayBuffer of a plain Uint8Array, not only its part.
      ...(body === undefined ? {} : { data: asBuffer(body) }),
      // Always set: some proxies compress answers that were requested without compression.
      decompress: true,
      signal,
    };
  }

  /** As `#request`, for a connection that becomes a WebSocket. */
  async #upgrade(
    exchange: HttpExchange,
    credential: Credential | undefined,
    agent: HttpAgent,
  ): Promise<HttpAnswer> {
    const { request, target, signal } = exchange;
    const { headers, webSocket } = request;
    const authorization = credential?.authorization;
    const { response, socket } = await openWebSocket({
      protocols: webSocket?.protocols ?? [],
      deadPeerMs: webSocket?.deadPeerMs ?? Infinity,
      target,
      agent,
      headers: {
        ...this.#headers,
        ...headers,
        ...(authorization === undefined ? {} : { authorization }),
      },
      signal,
      runtime: this.#runtime,
      onClosed: () => this.#finish(exchange),
    });
    const { timing } = request;
    if (timing !== undefined) {
      timing.connections += 1;
      timing.add('connection', this.#pool.connectMs(response.socket) ?? 0);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, data: response, socket };
  }

  async #authorities(
    signal: AbortSignal,
    again: boolean = false,
  ): Promise<string | Buffer | undefined> {
    const ca = typeof this.#ca === 'function' ? this.#ca(again) : this.#ca;
    if (ca === undefined || typeof ca === 'string') return ca;
    const read = ca instanceof Promise ? await abortable(ca, signal) : ca;
    return typeof read === 'string' ? read : asBuffer(read);
  }

  #closedError(): ListwatchError {
    return new ListwatchError('CLOSED', `the connection to ${this.server} was closed by its owner`);
  }
}

/** Whether a request counts among the streams for which HTTP/2 is worth it. A WebSocket has a connection of its own. */
function holdsStream({ stream = false, webSocket }: TransportRequest): boolean {
  return stream && webSocket === undefined;
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

/**
 * Whether a connection failed because of the client's certificate, and the request can be sent again: the server has not seen it,
 * or it is a read. Some servers close the connection without a reason.
 */
function mayBeTheCertificate(error: unknown, { request }: HttpExchange): boolean {
  if (isRefusedCertificate(error)) return true;
  return request.method === 'GET' && isListwatchError(error, 'CONNECTION_FAILED');
}

/** Reads the rest of a short answer, so that its connection serves the next request. */
async function drained(body: Readable): Promise<void> {
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > DRAINED_BYTES) break;
    }
  } catch {
    // The request is sent again in any case; a broken connection fails there.
  }
}

/** Whether a proxy is another machine than this one. */
function isRemote(proxy: string | undefined): boolean {
  return proxy !== undefined && URL.canParse(proxy) && !isLoopback(new URL(proxy).hostname);
}
