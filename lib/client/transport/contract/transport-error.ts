import {
  ListwatchError,
  type ErrorCode,
  type ErrorOptions,
} from '../../../kernel/failure/errors.ts';

export type TransportErrorCode = Extract<
  ErrorCode,
  | 'CONNECTION_REFUSED'
  | 'CONNECTION_FAILED'
  | 'CERTIFICATE'
  | 'REQUEST_TIMEOUT'
  | 'REDIRECT_REFUSED'
  | 'RESPONSE_TOO_LARGE'
  | 'FRAME_TOO_LARGE'
  | 'MALFORMED_FRAME'
  | 'MALFORMED_RESPONSE'
  | 'STREAM_IDLE'
  | 'SUBPROTOCOL'
  | 'PROXY'
>;

/** The exchange of an error. */
export interface ExchangeTarget {
  /** The server's address, without credentials. */
  readonly server: string;
  readonly method: string;
  /** With or without its query. */
  readonly path: string;
  /** See `Transport.hide`. */
  readonly hide?: ((text: string) => string) | undefined;
}

/**
 * An exchange without a usable answer.
 *
 * Its message names method, address and path, never the query, a header or a body, so it can be logged as it is.
 */
export class TransportError extends ListwatchError {
  declare readonly code: TransportErrorCode;
  readonly method: string;
  /** Address and path, without query. */
  readonly url: string;
  // `inspect` does not show private fields, which the message has already.
  readonly #problem: string;
  readonly #target: ExchangeTarget;

  constructor(
    code: TransportErrorCode,
    target: ExchangeTarget,
    problem: string,
    options: ErrorOptions = {},
  ) {
    const url = target.server + pathWithoutQuery(target.path);
    super(code, `${target.method} ${url}: ${problem}`, options);
    this.method = target.method;
    this.url = url;
    this.#problem = problem;
    const { server, method, path } = target;
    this.#target = { server, method, path: pathWithoutQuery(path) };
  }

  /** The cause and what to do, without the exchange. */
  get problem(): string {
    return this.#problem;
  }

  /** The exchange; its path has no query. */
  get request(): ExchangeTarget {
    return this.#target;
  }
}

function pathWithoutQuery(path: string): string {
  const end = path.indexOf('?');
  return end === -1 ? path : path.slice(0, end);
}
