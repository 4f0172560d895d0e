import type { Agent as HttpAgent } from 'node:http';
import type { Readable } from 'node:stream';
import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import {
  is,
  optionsOf,
  type OptionRule,
  type OptionsSchema,
} from '../../kernel/options/options-schema.ts';
import { HiddenTexts } from '../../kernel/text/hidden-texts.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { AuthenticatedRequests, type Attempt } from './authenticated-requests.ts';
import {
  hideCredential,
  hideProxyUser,
  impersonationHeaders,
  refuseCredentialsInPlainText,
  tokenCredentials,
  type TokenSource,
} from './request-credentials.ts';
import { AxiosSender } from './axios-sender.ts';
import { StreamBody } from './body/stream-body.ts';
import { unpackedStream, type UnpackedStream } from './body/unpacked-stream.ts';
import type { BodyTap } from './connection/tap/body-tap.ts';
import { ConnectionPool } from './connection/connection-pool.ts';
import { proxyDialer } from './connection/proxy/proxy-dialer.ts';
import type { Credential, CredentialSource } from './contract/credential.ts';
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
  /** The credential of requests: a constant, a file, a plug-in. @defaultValue none */
  readonly credentials?: CredentialSource | undefined;
  /** The server carries out requests as this user. @defaultValue as the user of the credentials */
  readonly impersonate?: Impersonation | undefined;
  readonly tls?: TlsOptions | undefined;
  /**
   * True asks for bodies that are not compressed: for a fast network, where it saves time on both sides. False asks for gzip, also for
   * streaming lists of a server at a loopback address: for a tunnel to a server far away.
   * @defaultValue gzip, except for streaming lists of a server on this machine: fewer bytes save little time there, and each later event
   * of the stream takes some 50 µs of both sides, several times as much as a plain one
   */
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

/** Maximum number of characters of a user agent. Servers write the header into each line of their audit log. */
const LONGEST_USER_AGENT = 1_024;

/** A text for the header `user-agent`. */
export const USER_AGENT: OptionRule<string, undefined> = is.openRule<string>(
  `1 to ${LONGEST_USER_AGENT} printable ASCII characters, without line breaks`,
  (text) =>
    typeof text === 'string' && text.length <= LONGEST_USER_AGENT && /^[\x20-\x7e]+$/.test(text),
);

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

type Headers = Readonly<Record<string, string | string[]>>;

/** The head of an answer, and its body. */
interface HttpAnswer {
  readonly status: number;
  readonly headers: object;
  readonly data: Readable;
  /** Source of the body when it comes past Node's parser. */
  readonly tap?: BodyTap | undefined;
  /** Of a stream that comes compressed; `data` is its stream. */
  readonly unpacked?: UnpackedStream | undefined;
  /** The WebSocket that the connection has become; the body is empty then. */
  readonly socket?: MessageSocket | undefined;
}

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
export class AxiosTransport implements Transport, AsyncDisposable {
  readonly server: string;
  readonly #headers: Headers;
  readonly #compression: boolean;
  /** Whether streams may come compressed. */
  #packsStreams: boolean;
  readonly #timeouts: ResolvedTimeouts;
  readonly #runtime: Runtime;
  readonly #pool: ConnectionPool;
  readonly #sender: AxiosSender;
  readonly #requests: AuthenticatedRequests<HttpAnswer>;
  /** The secrets sent to the server and to the proxy. */
  readonly #hidden = new HiddenTexts();
  #lastSent: Credential | undefined;
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
    const source = token === undefined ? credentials : tokenCredentials(token);
    if (source !== undefined) {
      refuseCredentialsInPlainText(address, source.source, isRemote(proxy));
    }
    this.#requests = new AuthenticatedRequests({
      credentials: source,
      ca: tls.ca,
      runtime: this.#runtime,
      attempt: (attempt) => this.#attempt(attempt),
    });
    this.#compression = options.disableCompression !== true;
    const isLocal = isLoopback(address.host) && !isRemote(proxy);
    this.#packsStreams = options.disableCompression === undefined ? !isLocal : this.#compression;
    this.#secure = address.secure;
    this.#metrics = options.metrics;
    this.#http2 = options.http2 ?? 'auto';
    if (proxy !== undefined) hideProxyUser(this.#hidden, proxy);
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

  hide(text: string): string {
    return this.#hidden.hide(text);
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
    const { response, credential } = await this.#requests.send(exchange);
    exchange.headers.stop();
    const { data: stream, tap: source, unpacked, socket } = response;
    if (socket === undefined) stream.once('close', () => this.#finish(exchange));
    if (response.status >= 300 && response.status < 400 && response.status !== 304) {
      stream.destroy();
      throw redirectRefused(exchange.target, response.status);
    }
    if (response.status >= 400) exchange.refused();
    const { signal } = exchange;
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
        decoding: unpacked,
        explain: (error) => this.#unpackFailure(unpacked, error) ?? exchange.explain(error),
      }),
    };
  }

  /** A failure of the compression itself: further streams come without it. */
  #unpackFailure(unpacked: UnpackedStream | undefined, error: unknown): TransportError | undefined {
    const failure = unpacked?.failureOf(error);
    if (failure !== undefined) this.#packsStreams = false;
    return failure;
  }

  #finish(exchange: HttpExchange): void {
    exchange.finish();
    this.#tapped.delete(exchange);
    if (this.#running.delete(exchange) && holdsStream(exchange.request)) this.#streams -= 1;
  }

  #sends(credential: Credential): void {
    this.#lastSent = credential;
    hideCredential(this.#hidden, credential);
  }

  /** Sends a request once, and resolves when the headers have arrived. */
  async #attempt({ exchange, credential, ca }: Attempt): Promise<HttpAnswer> {
    exchange.sent();
    const { authorization } = credential ?? {};
    if (credential !== undefined && credential !== this.#lastSent) this.#sends(credential);
    const headers = {
      ...this.#headers,
      ...exchange.request.headers,
      ...(authorization === undefined ? {} : { authorization }),
    };
    try {
      if (exchange.request.webSocket === undefined) {
        return await this.#request({ exchange, credential, ca }, headers);
      }
      return await this.#upgrade(exchange, headers, this.#pool.upgradeAgent(credential, ca));
    } catch (error) {
      throw exchange.explain(error);
    }
  }

  async #request({ exchange, credential, ca }: Attempt, headers: Headers): Promise<HttpAnswer> {
    const { request, http2, signal } = exchange;
    const { method, path, body, timing, stream = false, compress = false, admit } = request;
    const compresses = stream ? compress && this.#packsStreams : this.#compression;
    const config = {
      method,
      url: this.server + path,
      headers: { ...headers, 'accept-encoding': compresses ? 'gzip' : 'identity' },
      // axios would send the whole ArrayBuffer of a plain Uint8Array, not only its part.
      ...(body === undefined ? {} : { data: asBuffer(body) }),
      // Some proxies compress answers that were requested without compression. Streams are decoded here.
      decompress: !stream,
      signal,
    };
    const options = { config, credential, ca, http2, timing, stream, admit };
    const { response, tap } = await this.#sender.send(options);
    const { status, data } = response;
    // Aborting emits an error on the stream, which has no other listener before it is read.
    data.on('error', () => {});
    const { 'content-encoding': encoding, ...rest } = response.headers as Record<string, unknown>;
    const { target } = exchange;
    const unpacked = stream
      ? unpackedStream({ packed: data, encoding, target, signal })
      : undefined;
    if (unpacked === undefined) return { status, headers: response.headers, data, tap };
    unpacked.stream.on('error', () => {});
    return { status, headers: rest, data: unpacked.stream, unpacked };
  }

  /** Sends a request whose connection becomes a WebSocket. */
  async #upgrade(exchange: HttpExchange, headers: Headers, agent: HttpAgent): Promise<HttpAnswer> {
    const { request, target, signal } = exchange;
    const { webSocket, timing } = request;
    const { response, socket } = await openWebSocket({
      protocols: webSocket?.protocols ?? [],
      deadPeerMs: webSocket?.deadPeerMs ?? Infinity,
      target,
      agent,
      headers,
      signal,
      runtime: this.#runtime,
      onClosed: () => this.#finish(exchange),
    });
    if (timing !== undefined) {
      timing.connections += 1;
      timing.add('connection', this.#pool.connectMs(response.socket) ?? 0);
    }
    response.on('error', () => {});
    return { status: response.statusCode ?? 0, headers: response.headers, data: response, socket };
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

/** Whether a proxy is another machine than this one. */
function isRemote(proxy: string | undefined): boolean {
  return proxy !== undefined && URL.canParse(proxy) && !isLoopback(new URL(proxy).hostname);
}
