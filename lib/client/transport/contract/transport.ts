import type { MessageSocket, WebSocketOptions } from './message-socket.ts';
import type { RequestTiming } from './request-timing.ts';
import type { TransportInspection } from './transport-inspection.ts';

/**
 * The interface to HTTP. Everything above it (verbs, watches, discovery) is independent of the HTTP
 * library; an in-process server can stand behind it as well.
 */
export interface Transport {
  /** The server's address, for messages; carries no credentials. */
  readonly server: string;
  /**
   * Sends a request and resolves when the response headers have arrived.
   *
   * Any HTTP status resolves; the caller checks it. Redirects are refused, never followed.
   * @throws {TransportError} CONNECTION_REFUSED, CONNECTION_FAILED, CERTIFICATE, PROXY, REQUEST_TIMEOUT, REDIRECT_REFUSED; the
   * signal's reason when aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Fails running requests at once, and resolves when all connections are closed. May be called again. */
  close(): Promise<void>;
  /**
   * A text of the server, or of a proxy before it, without the credentials that were sent to it. Left out: none were sent.
   */
  hide?(text: string): string;
  /** Its connections. Left out: it has none, or does not count them. */
  inspect?(): TransportInspection | undefined;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, e.g. `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Names in lower case. The transport adds the authentication. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | undefined;
  /**
   * A stream stays open until its server ends it: no response timeout applies after the headers, and no compression is requested
   * unless `compress` is set.
   * @defaultValue false
   */
  readonly stream?: boolean | undefined;
  /**
   * Whether a stream may come compressed: it begins with much data. A transport decides whether it asks for that; other requests always may.
   * @defaultValue false
   */
  readonly compress?: boolean | undefined;
  /**
   * Whether a GET is sent again after its connection broke. False: its reader tries again at a pace of its own.
   * @defaultValue true
   */
  readonly resend?: boolean | undefined;
  /**
   * Whether it is sent again when the server asks to try later (429, 503). False: the caller decides, as for an eviction that a
   * disruption budget forbids.
   * @defaultValue true
   */
  readonly retry?: boolean | undefined;
  /**
   * Asks the server to make the connection of a GET a WebSocket. A transport without sockets of its own ignores it.
   * @defaultValue none
   */
  readonly webSocket?: WebSocketOptions | undefined;
  /**
   * Called in the last synchronous step before bytes of the request are handed to a connection, once for each try. If it throws, no byte
   * is, and the request fails with its error, a `ListwatchError`. A transport that does not call it can send a request for which this moment has passed.
   * @defaultValue none
   */
  readonly admit?: (() => void) | undefined;
  /** The waits of this request are added here. Left out: they are not measured. */
  readonly timing?: RequestTiming | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** The credential of the request, for messages, e.g. `the token in /run/token`. Undefined: nothing, or not known. */
  readonly credential?: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The body in pieces as the network delivered them. A slow reader slows the sender down; leaving the loop closes the connection.
   * Throws {TransportError} CONNECTION_FAILED when the connection breaks.
   */
  readonly body: ResponseBody;
  /** The open WebSocket, of an answer 101. */
  readonly socket?: MessageSocket | undefined;
}

/** The body of a response, piece by piece. */
export interface ResponseBody {
  [Symbol.asyncIterator](): BodyReader;
}

export interface BodyReader extends AsyncIterator<Uint8Array, undefined> {
  /** The next piece if it has arrived already; it does not wait. Left out: pieces are read one by one. */
  poll?(): Uint8Array | undefined;
}
