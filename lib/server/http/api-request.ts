import type { X509Certificate } from 'node:crypto';
import type { ChannelUpgrade } from '../registry/contract/rest-storage.ts';
import type { UserInfo } from '../registry/contract/user-info.ts';

/**
 * One HTTP exchange without a socket, so that the listener and an in-process client use the same API.
 */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query, e.g. `/api/v1/pods?watch=true`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Each header line with its name in lower case, for headers that may come several times. Left out: `headers` has each once. */
  readonly headerLines?: readonly (readonly [name: string, value: string])[] | undefined;
  /** The whole body; the listener enforces the size limit while reading. */
  readonly body: Uint8Array;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts `signal` when the time limit is over. Only for a signal that belongs to this request alone; otherwise left out. */
  readonly abort?: ((reason: Error) => void) | undefined;
  /** The authenticated user. Left out by callers in the process, which need no credentials. */
  readonly user?: string | undefined;
  /** Further facts about the user from authentication. */
  readonly identity?: UserInfo | undefined;
  /** The certificate that the client has proved to own, not checked otherwise. Left out: the connection has none. */
  readonly clientCertificate?: (() => X509Certificate | undefined) | undefined;
  /** Receives the name of the user once the request has authenticated. */
  readonly identified?: ((user: string) => void) | undefined;
  /** Receives the audit annotations of the request. The first value of a key counts. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Either the whole body, or chunks that are sent as they are produced; a watch ends when its chunks end. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The body has the events of a watch, one a line, so it may be sent over a WebSocket, each event as one frame. @defaultValue false */
  readonly isWatch?: boolean | undefined;
  /** With status 101: how the connection continues as a WebSocket. */
  readonly channels?: ChannelUpgrade | undefined;
  /** The body may be compressed for clients that accept that: a document of the API, or a streaming list. @defaultValue false */
  readonly mayCompress?: boolean | undefined;
}

/** The API as a function. A failure is a response with a Status. Rejects only with `ConnectionReset`, for a connection without an answer. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
