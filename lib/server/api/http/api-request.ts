/**
 * One HTTP exchange without a socket, so that the listener and an in-process client reach the very same API.
 */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query, e.g. `/api/v1/pods?watch=true`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body; the listener enforces the size limit while reading. */
  readonly body: Uint8Array;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Aborts `signal`, which is this request's alone, once its time is up. Left out where the signal is not to be touched. */
  readonly abort?: ((reason: Error) => void) | undefined;
  /** The user, once it is known. Left out by callers in the process, which need no credentials. */
  readonly user?: string | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whole, or in pieces that are sent as they come; a watch ends when its pieces do. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The API as a function. Never rejects: a failure is a response that carries a Status. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
