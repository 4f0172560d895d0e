import { HiddenTexts } from '../../../kernel/text/hidden-texts.ts';
import { abortable, deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { connectionFailure } from '../connection/connection-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../contract/transport.ts';
import { joinedHeaders, piecesOf } from './plain-answer.ts';

/** A server in this process, as a function; `ApiServer` has it as `handler`. */
export type InProcessHandler = (request: {
  /** Upper case. */
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body. */
  readonly body: Uint8Array;
  /** Aborts when the client has no use for the answer. */
  readonly signal: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Either the whole body, or pieces that are sent as they are produced. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}>;

export interface InProcessTransportOptions {
  /** The server address in messages. @defaultValue 'http://in-process' */
  readonly server?: string | undefined;
  /** Sent as a bearer token. */
  readonly token?: string | undefined;
}

/**
 * Connects a client to an API in the same process without a socket, so that both run in virtual time.
 *
 * Guarantees:
 * - The handler gets the same input as from the listener: lower-case headers, the whole body, and a signal that aborts when the
 *   client stops reading the body, aborts its request or closes the transport.
 * - The chunks of a body are produced one by one, as the client reads it.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function inProcessTransport(
  handler: InProcessHandler,
  options: InProcessTransportOptions = {},
): Transport {
  return new InProcessTransport(handler, OPTIONS.read(options));
}

const OPTIONS = optionsOf<InProcessTransportOptions>()('inProcessTransport', {
  server: is.text(),
  token: is.text(),
});
const NO_BODY = new Uint8Array();

class InProcessTransport implements Transport {
  readonly server: string;
  readonly #handler: InProcessHandler;
  readonly #token: string | undefined;
  readonly #hidden = new HiddenTexts();
  readonly #running = new Set<DerivedAbort>();
  #closed = false;

  constructor(handler: InProcessHandler, { server, token }: InProcessTransportOptions) {
    this.server = server ?? 'http://in-process';
    this.#handler = handler;
    this.#token = token;
    this.#hidden.add(token);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) throw this.#closedError();
    request.signal?.throwIfAborted();
    const exchange = deriveAbort(request.signal);
    this.#running.add(exchange);
    const finish = (): void => {
      exchange.destroy();
      this.#running.delete(exchange);
    };
    const explain = (error: unknown): unknown =>
      exchange.signal.aborted
        ? exchange.signal.reason
        : connectionFailure(error, { ...request, server: this.server });
    try {
      const response = await abortable(this.#call(request, exchange.signal), exchange.signal);
      const body = response.body instanceof Uint8Array ? piecesOf(response.body) : response.body;
      return {
        status: response.status,
        headers: joinedHeaders(response.headers),
        body: new InProcessBody({ pieces: body, exchange, finish, explain }),
      };
    } catch (error) {
      finish();
      throw explain(error);
    }
  }

  hide(text: string): string {
    return this.#hidden.hide(text);
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#running) exchange.abort(this.#closedError());
    this.#running.clear();
    return Promise.resolve();
  }

  #call(
    { method, path, headers, body, admit }: TransportRequest,
    signal: AbortSignal,
  ): ReturnType<InProcessHandler> {
    const authorization =
      this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    admit?.();
    return this.#handler({
      method,
      url: path,
      headers: { host: new URL(this.server).host, ...headers, ...authorization },
      body: body ?? NO_BODY,
      signal,
    });
  }

  #closedError(): ListwatchError {
    return new ListwatchError('CLOSED', `the connection to ${this.server} was closed by its owner`);
  }
}

interface InProcessBodyOptions {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly exchange: DerivedAbort;
  readonly finish: () => void;
  readonly explain: (error: unknown) => unknown;
}

/** The chunks of a response. They end as soon as the exchange aborts, even if their producer does not notice. */
class InProcessBody implements AsyncIterable<Uint8Array> {
  readonly #options: InProcessBodyOptions;

  constructor(options: InProcessBodyOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const { pieces, exchange, finish, explain } = this.#options;
    const source = pieces[Symbol.asyncIterator]();
    return {
      next: async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        try {
          exchange.signal.throwIfAborted();
          const piece = await abortable(source.next(), exchange.signal);
          if (piece.done !== true) return piece;
          finish();
          return { done: true, value: undefined };
        } catch (error) {
          finish();
          leave(source);
          throw explain(error);
        }
      },
      return: (): Promise<IteratorResult<Uint8Array, undefined>> => {
        finish();
        exchange.abort();
        leave(source);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** The result of `return` is not awaited, because a busy producer settles it only when it is done. */
function leave(source: AsyncIterator<Uint8Array>): void {
  source.return?.().catch(() => {});
}
