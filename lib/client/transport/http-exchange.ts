import { deriveAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { IdleWatchdog } from '../../kernel/time/idle-watchdog.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { connectionFailure } from './connection/connection-failure.ts';
import type { Timeouts } from './contract/timeouts.ts';
import { TransportError, type ExchangeTarget } from './contract/transport-error.ts';
import type { TransportRequest } from './contract/transport.ts';
import type { ResolvedTimeouts } from './resolve-timeouts.ts';

export interface HttpExchangeOptions {
  readonly request: TransportRequest;
  /** Whether it uses HTTP/2 if the server speaks it. */
  readonly http2?: boolean | undefined;
  readonly server: string;
  readonly timeouts: ResolvedTimeouts;
  readonly runtime: Runtime;
}

/**
 * One request from the call to the end of the body: its signal, and its time limits.
 *
 * `abort` ends it; `finish` has to be called when it has ended in any way, and stops all its timers.
 */
export class HttpExchange {
  readonly request: TransportRequest;
  readonly http2: boolean;
  readonly target: ExchangeTarget;
  readonly abort: DerivedAbort;
  /** Runs while headers are awaited. Waiting for a credential is not part of it. */
  readonly headers: IdleWatchdog;
  /** Runs while the next piece of the body is awaited. */
  readonly body: IdleWatchdog;
  readonly #runtime: Runtime;
  readonly #timeouts: ResolvedTimeouts;
  #total: Timer | undefined;

  constructor({ request, http2 = false, server, timeouts, runtime }: HttpExchangeOptions) {
    this.request = request;
    this.http2 = http2;
    this.target = { server, method: request.method, path: request.path };
    this.abort = deriveAbort(request.signal);
    this.#runtime = runtime;
    this.#timeouts = timeouts;
    const streams = request.stream === true;
    const headersMs = streams ? timeouts.streamHeadersMs : timeouts.headersMs;
    this.headers = this.#watchdog(headersMs, 'headersMs');
    this.body = this.#watchdog(streams ? Infinity : timeouts.idleMs, 'idleMs');
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** The request is sent now: the total time begins with the first time. */
  sent(): void {
    this.headers.expect();
    const { request } = this;
    if (request.timing !== undefined) request.timing.attempts += 1;
    const { totalMs } = this.#timeouts;
    if (totalMs === Infinity || request.stream === true) return;
    this.#total ??= this.#runtime.setTimer(totalMs, () => this.#expire(totalMs, 'totalMs'));
  }

  /** The body is not a stream of events but the text of a refusal, which ends. */
  refused(): void {
    if (this.request.stream === true) this.#limit(this.body, this.#timeouts.idleMs, 'idleMs');
  }

  finish(): void {
    this.headers.stop();
    this.body.stop();
    this.#total?.cancel();
    this.abort.destroy();
  }

  /** The error for the caller: the reason of an abort, or the cause of a failed connection. */
  readonly explain = (error: unknown): unknown => {
    if (error instanceof ListwatchError) return error;
    return this.signal.aborted ? this.signal.reason : connectionFailure(error, this.target);
  };

  #watchdog(limitMs: number, option: keyof Timeouts): IdleWatchdog {
    const watchdog = new IdleWatchdog(this.#runtime);
    this.#limit(watchdog, limitMs, option);
    return watchdog;
  }

  #limit(watchdog: IdleWatchdog, limitMs: number, option: keyof Timeouts): void {
    watchdog.limit({ limitMs, onIdle: () => this.#expire(limitMs, option) });
  }

  #expire(limitMs: number, option: keyof Timeouts): void {
    const what = option === 'totalMs' ? 'no complete answer' : 'no answer';
    const problem = `${what} within ${limitMs} ms; check that the server is reachable, or raise timeouts.${option}`;
    this.abort.abort(new TransportError('REQUEST_TIMEOUT', this.target, problem));
  }
}
