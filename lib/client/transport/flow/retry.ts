import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import {
  is,
  optionsOf,
  type FilledOptions,
  type OptionsSchema,
} from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { readBodyStart } from '../body/read-body.ts';
import { RequestTiming } from '../contract/request-timing.ts';
import type { Transport, TransportRequest, TransportResponse } from '../contract/transport.ts';
import { TransportLayer } from '../contract/transport-layer.ts';
import { closedError } from './closed-error.ts';
import { RequestMeter } from './request-meter.ts';

/** How often and how long one request is sent again. */
export interface RetryLimits {
  /**
   * The most times that one request is sent again.
   * @defaultValue 10 (client-go rest/request.go maxRetries @ 32ce75a7)
   */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait before a try, milliseconds, even if the server asks for a longer one. Up to a fifth is added to each wait.
   * @defaultValue 30 000
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * The longest time for all waits of a request together, milliseconds. A wait that would end later is not begun, and the caller
   * gets the answer. @defaultValue 120 000
   */
  readonly maxWaitMs?: number | undefined;
}

export interface RetryOptions extends RetryLimits {
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

export const RETRY: OptionsSchema<RetryLimits, keyof RetryLimits> = optionsOf<RetryLimits>()(
  'RetryingTransport',
  {
    maxRetries: is.integer({ min: 0 }).default(10),
    maxDelayMs: is.number({ min: 0 }).default(30_000),
    maxWaitMs: is.number({ min: 0 }).default(120_000),
  },
);
const OPTIONS = optionsOf<RetryOptions>()('RetryingTransport', {
  ...RETRY.rules,
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object(),
});

/** Idempotent methods: sending them twice has the same effect as sending them once. */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);

/** An answer up to this size is read to its end, so that its connection can be reused; bytes. */
const DRAINED_BYTES = 64 * 1024;

/** The share of a wait that is added at random, so that refused clients do not come back all at once. */
const JITTER = 0.2;
/** The least span of that random time, milliseconds: a server may ask for 0 seconds. */
const LEAST_JITTER_MS = 20;

/** The wait after a broken connection, milliseconds. A load balancer has chosen another server by then. */
const BROKEN_DELAY_MS = 100;

/** Codes of the errors of a connection or a stream that the other side has closed. */
const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'HTTP2_INTERNAL_ERROR',
  'HTTP2_NO_ERROR',
  'HTTP2_PING_TIMEOUT',
  'HTTP2_REFUSED_STREAM',
]);

/** Why a request is sent again. */
interface Cause {
  /** A status code or an error code. */
  readonly code: string;
  readonly text: string;
  /** The wait before jitter. */
  readonly delayMs: number;
}

/** How one try of a request has ended. */
interface Try {
  /** Undefined: it failed with `error`. */
  readonly response?: TransportResponse | undefined;
  readonly error?: unknown;
  /** Why it can be sent again; undefined: it is over. */
  readonly cause?: Cause | undefined;
}

/**
 * Sends requests again that the server could not take.
 *
 * | answer | sent again |
 * |---|---|
 * | 429 with `Retry-After` | all methods, because the server has not carried the request out |
 * | 503 with `Retry-After` | GET, PUT, DELETE |
 * | 429 or 503 to a request with `retry: false` | never |
 * | none, because the connection broke | GET, once; streams and requests with `resend: false` are left to their readers |
 *
 * Guarantees: a request is not sent before the time the server asked for, unless that is longer than `maxDelayMs`. When the
 * tries or the time are used up, the caller gets the last answer. The wait ends at once when the request's signal aborts, or
 * when the transport is closed. Each wait is logged with its reason.
 */
export class RetryingTransport extends TransportLayer {
  readonly #options: FilledOptions<RetryOptions, keyof RetryLimits | 'runtime' | 'logger'>;
  readonly #runtime: Runtime;
  readonly #meter: RequestMeter | undefined;
  readonly #waits = new Set<DerivedAbort>();
  #closed = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(transport: Transport, options: RetryOptions = {}) {
    super(transport);
    const read = OPTIONS.read(options);
    this.#options = read;
    this.#runtime = read.runtime;
    this.#meter = RequestMeter.of(transport.server, read);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    let sent = request;
    for (let waitedMs = 0, retries = 0; ; retries += 1) {
      if (this.#closed) throw closedError(this.server);
      const { response, error, cause } = await this.#try(sent, retries);
      if (cause === undefined && response !== undefined) return response;
      if (cause === undefined) throw error;
      const delayMs = this.#jittered(cause.delayMs);
      if (retries === this.#options.maxRetries || waitedMs + delayMs > this.#options.maxWaitMs) {
        if (response === undefined) throw error;
        return response;
      }
      if (response !== undefined) await discard(response);
      this.#log(request, cause, delayMs, retries + 1);
      const timing = sent.timing ?? new RequestTiming();
      waitedMs += await this.#wait(delayMs, request.signal, timing);
      this.#meter?.retried(request.method, cause.code);
      timing.retries += 1;
      sent = { ...request, timing };
    }
  }

  override close(): Promise<void> {
    this.#closed = true;
    const reason = closedError(this.server);
    for (const wait of this.#waits) wait.abort(reason);
    return super.close();
  }

  async #try(request: TransportRequest, retries: number): Promise<Try> {
    try {
      const response = await this.below.send(request);
      return { response, cause: this.#refusal(request, response) };
    } catch (error) {
      const code = retries === 0 && mayResend(request) ? brokenCode(error) : undefined;
      if (code === undefined || request.signal?.aborted === true) return { error };
      const text = 'the connection broke before the answer';
      return { error, cause: { code, text, delayMs: BROKEN_DELAY_MS } };
    }
  }

  #refusal(
    { method, retry }: TransportRequest,
    { status, headers }: TransportResponse,
  ): Cause | undefined {
    if (retry === false) return undefined;
    if (status !== 429 && !(status === 503 && IDEMPOTENT.has(method))) return undefined;
    const askedMs = retryAfterMs(headers['retry-after'], this.#runtime.wallMs());
    if (askedMs === undefined) return undefined;
    const delayMs = Math.min(askedMs, this.#options.maxDelayMs);
    return { code: String(status), text: 'the server asks to try again later', delayMs };
  }

  #jittered(delayMs: number): number {
    return delayMs + this.#runtime.random() * Math.max(LEAST_JITTER_MS, delayMs * JITTER);
  }

  #log(
    { method, path }: TransportRequest,
    { code, text }: Cause,
    delayMs: number,
    retry: number,
  ): void {
    const end = path.indexOf('?');
    this.#options.logger.info(text, {
      server: this.server,
      request: `${method} ${end === -1 ? path : path.slice(0, end)}`,
      code,
      delayMs: Math.round(delayMs),
      retry,
      maxRetries: this.#options.maxRetries,
    });
  }

  /** Returns the time that was waited, milliseconds. */
  async #wait(
    delayMs: number,
    signal: AbortSignal | undefined,
    timing: RequestTiming,
  ): Promise<number> {
    const startMs = this.#runtime.monotonicMs();
    const abort = deriveAbort(signal);
    this.#waits.add(abort);
    if (this.#closed) abort.abort(closedError(this.server));
    try {
      await sleep(this.#runtime, delayMs, { signal: abort.signal });
      return this.#runtime.monotonicMs() - startMs;
    } finally {
      timing.add('retry', this.#runtime.monotonicMs() - startMs);
      abort.destroy();
      this.#waits.delete(abort);
    }
  }
}

/** Whether the request may be sent again although the server may have carried it out. */
function mayResend({ method, stream, resend }: TransportRequest): boolean {
  return method === 'GET' && stream !== true && resend !== false;
}

/** The error code of a connection that was closed by the other side; undefined for another failure. */
function brokenCode(error: unknown): string | undefined {
  if (!isListwatchError(error, 'CONNECTION_FAILED')) return undefined;
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && BROKEN.has(code) ? error.code : undefined;
}

/**
 * The wait that a `Retry-After` header asks for, milliseconds. The header has whole seconds or an HTTP date.
 * Undefined when it is missing or neither.
 */
export function retryAfterMs(header: string | undefined, nowWallMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // HTTP dates start with a weekday; Date.parse also accepts many other texts.
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowWallMs);
}

async function discard(response: TransportResponse): Promise<void> {
  try {
    await readBodyStart(response.body, DRAINED_BYTES);
  } catch {
    // The request is sent again in any case; a broken connection fails there.
  }
}
