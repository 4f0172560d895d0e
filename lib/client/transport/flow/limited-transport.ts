import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type {
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../contract/transport.ts';
import { TransportLayer } from '../contract/transport-layer.ts';
import { AdaptiveLimiter } from './adaptive-limiter.ts';
import { closedError } from './closed-error.ts';
import { type FixedLimit, LIMITER, MOST_QUEUED, type RequestLimiter } from './request-limiter.ts';
import { RequestMeter } from './request-meter.ts';
import { type Lane, TurnQueue } from './turn-queue.ts';
import { isStatus } from '../../../meta/failure/status.ts';
import { readBodyStart } from '../body/read-body.ts';

export interface LimitedTransportOptions {
  /** @defaultValue 'adaptive' */
  readonly limiter?: 'adaptive' | FixedLimit | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const OPTIONS = optionsOf<LimitedTransportOptions>()('LimitedTransport', {
  limiter: LIMITER,
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object(),
});

/** A wait of at least this time is logged, at most one in the time below; milliseconds. */
const LOGGED_WAIT_MS = 1000;
const LOG_GAP_MS = 10_000;

/**
 * Sends requests at the pace of a limiter: by default as fast as they come, until the server refuses some because it gets too
 * many. Then all requests to this server wait for a turn in one queue, lists and watches of informers as well. An open watch
 * does not count; opening it does.
 *
 * Guarantees:
 * - Requests go in the order in which they came. Watches that are opened and requests that are sent again go before the others,
 *   but take at most every second turn.
 * - Waiting is no part of the time limits of a request. It ends at once when the signal aborts or the transport is closed.
 * - At most 10 000 requests wait; further ones fail with BUFFER_FULL.
 */
export class LimitedTransport extends TransportLayer {
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #limiter: RequestLimiter;
  readonly #meter: RequestMeter | undefined;
  #loggedAtMs = -Infinity;
  #closed = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(transport: Transport, options: LimitedTransportOptions = {}) {
    super(transport);
    const { limiter = 'adaptive', runtime, logger } = OPTIONS.read(options);
    this.#runtime = runtime;
    this.#logger = logger;
    this.#meter = RequestMeter.of(transport.server, options);
    const onChange = this.#meter && (() => this.#meter?.limiter(this.#limiter));
    this.#limiter =
      limiter === 'adaptive'
        ? new AdaptiveLimiter({
            runtime,
            server: transport.server,
            logger,
            onChange,
            onSlowdown: this.#meter && (() => this.#meter?.slowedDown()),
          })
        : new FixedLimiter({ ...limiter, runtime, onChange });
    onChange?.();
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) throw closedError(this.server);
    const resent = (request.timing?.retries ?? 0) > 0;
    const lane = request.stream === true || resent ? 'ahead' : 'regular';
    const waiting = this.#limiter.turn(lane, request.signal);
    if (waiting !== undefined) await this.#wait(waiting, request);

    const sentMs = this.#runtime.monotonicMs();
    const response = await this.below.send(request);
    if (!mayBeLoad(request, response)) {
      this.#limiter.answered(sentMs, false);
      return response;
    }
    const refusal = await readRefusal(response);
    this.#limiter.answered(sentMs, refusal.load);
    return refusal.response;
  }

  override close(): Promise<void> {
    if (!this.#closed) this.#limiter.close(closedError(this.server));
    this.#closed = true;
    return super.close();
  }

  async #wait(waiting: Promise<void>, request: TransportRequest): Promise<void> {
    const startMs = this.#runtime.monotonicMs();
    try {
      await waiting;
    } finally {
      const waitedMs = this.#runtime.monotonicMs() - startMs;
      request.timing?.add('limiter', waitedMs);
      this.#log(waitedMs);
    }
    // The transport may have been closed after the turn was given.
    if (this.#closed) throw closedError(this.server);
  }

  #log(waitedMs: number): void {
    const nowMs = this.#runtime.monotonicMs();
    if (waitedMs < LOGGED_WAIT_MS || nowMs - this.#loggedAtMs < LOG_GAP_MS) return;
    this.#loggedAtMs = nowMs;
    this.#logger.info('a request has waited for its turn', {
      server: this.server,
      waitedMs: Math.round(waitedMs),
      requestsPerSecond: Number(this.#limiter.rate.toPrecision(3)),
      waiting: this.#limiter.queued,
    });
  }
}

interface FixedLimiterOptions extends FixedLimit {
  readonly runtime: Runtime;
  readonly onChange?: (() => void) | undefined;
}

/** A token bucket with a rate that the user gave. It starts full. */
class FixedLimiter implements RequestLimiter {
  readonly rate: number;
  readonly #queue: TurnQueue;

  constructor({ runtime, queriesPerSecond, burst, onChange }: FixedLimiterOptions) {
    this.rate = queriesPerSecond;
    this.#queue = new TurnQueue({
      runtime,
      maxQueued: MOST_QUEUED,
      describe: () =>
        `for the option "limiter", which allows ${queriesPerSecond} a second; send fewer, or raise the limit`,
      onChange,
    });
    this.#queue.limit(queriesPerSecond, burst ?? Math.max(1, Math.floor(queriesPerSecond)), true);
  }

  get queued(): number {
    return this.#queue.size;
  }

  turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> | undefined {
    return this.#queue.turn(lane, signal);
  }

  answered(): void {}

  close(reason: unknown): void {
    this.#queue.close(reason);
  }
}

/** A Status of a refusal is smaller; bytes. */
const LONGEST_BODY_BYTES = 64 * 1024;

/**
 * Whether a server, or a proxy before it, has refused a request because it gets too many: 429, or 503 with `Retry-After`.
 *
 * A Status in the body is another case: the part that serves the resource was reached, and answers about this object, for
 * example an eviction that a disruption budget forbids, or a cache that is being filled. The filters of kube-apiserver that
 * limit requests answer in plain text (apiserver pkg/server/filters/maxinflight.go tooManyRequests; recorded from 1.36.3).
 */
function mayBeLoad({ method, path }: TransportRequest, response: TransportResponse): boolean {
  const { status, headers } = response;
  if (status !== 429 && (status !== 503 || headers['retry-after'] === undefined)) return false;
  return !(method === 'POST' && /\/eviction(?:\?|$)/.test(path));
}

/** Reads a refusal for which `mayBeLoad` holds. The returned response has the same body, kept in memory. */
async function readRefusal(
  response: TransportResponse,
): Promise<{ readonly load: boolean; readonly response: TransportResponse }> {
  if (response.headers['content-type']?.startsWith('application/json') !== true) {
    return { load: true, response };
  }
  const bytes = await readBodyStart(response.body, LONGEST_BODY_BYTES);
  return { load: !isStatusText(bytes), response: { ...response, body: bodyOf(bytes) } };
}

function isStatusText(bytes: Buffer): boolean {
  try {
    return isStatus(JSON.parse(bytes.toString('utf8')));
  } catch {
    return false;
  }
}

function bodyOf(bytes: Buffer): ResponseBody {
  return {
    [Symbol.asyncIterator]: () => {
      let read = false;
      return {
        next: () => {
          if (read) return Promise.resolve({ done: true, value: undefined });
          read = true;
          return Promise.resolve({ done: false, value: bytes });
        },
        return: () => Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}
