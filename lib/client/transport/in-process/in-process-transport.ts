import { HiddenTexts } from '../../../kernel/text/hidden-texts.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { connectionFailure } from '../connection/connection-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../contract/transport.ts';
import { joinedHeaders, WholeBody } from './plain-answer.ts';

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
  /** Aborts `signal`, which belongs to this request alone. */
  readonly abort?: ((reason: Error) => void) | undefined;
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
  readonly #running = new Set<Exchange>();
  #host: string | undefined;
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
    const exchange = new Exchange(request.signal);
    this.#running.add(exchange);
    const finish = (): void => {
      exchange.finish();
      this.#running.delete(exchange);
    };
    const explain = (error: unknown): unknown =>
      exchange.aborted === undefined
        ? connectionFailure(error, { ...request, server: this.server })
        : exchange.aborted.reason;
    try {
      const response = await exchange.within(this.#call(request, exchange));
      const headers = joinedHeaders(response.headers);
      const { status, body } = response;
      if (!(body instanceof Uint8Array)) {
        const pieces = new InProcessBody({ pieces: body, exchange, finish, explain });
        return { status, headers, body: pieces };
      }
      finish();
      return { status, headers, body: new WholeBody(body) };
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
    exchange: Exchange,
  ): ReturnType<InProcessHandler> {
    const authorization =
      this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    this.#host ??= new URL(this.server).host;
    admit?.();
    return this.#handler({
      method,
      url: path,
      headers: { host: this.#host, ...headers, ...authorization },
      body: body ?? NO_BODY,
      signal: exchange.signal,
      abort: (reason) => exchange.abortHandling(reason),
    });
  }

  #closedError(): ListwatchError {
    return new ListwatchError('CLOSED', `the connection to ${this.server} was closed by its owner`);
  }
}

/** One request of a client, until it has its answer. */
class Exchange {
  readonly #handling = new AbortController();
  readonly #release: () => void;
  #aborted: { readonly reason: unknown } | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(parent: AbortSignal | undefined) {
    this.#release = onAbort(parent, () => this.abort(parent?.reason));
  }

  /** For the handler. */
  get signal(): AbortSignal {
    return this.#handling.signal;
  }

  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted;
  }

  /** Ends the work of the handler, whose answer the client still awaits. */
  abortHandling(reason: unknown): void {
    this.#handling.abort(reason);
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#release();
    this.#handling.abort(reason);
    this.#reject?.(reason);
  }

  /** Settles as `work` does, unless the exchange is aborted. One wait at a time. */
  within<R>(work: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
      if (this.#aborted !== undefined) reject(this.#aborted.reason);
    });
  }

  finish(): void {
    this.#release();
  }
}

interface InProcessBodyOptions {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly exchange: Exchange;
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
          if (exchange.aborted !== undefined) throw exchange.aborted.reason;
          const piece = await exchange.within(source.next());
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
        exchange.abort(new ListwatchError('ABORTED', 'the operation was stopped'));
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
