import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { MOST_QUEUED, type RequestLimiter } from './request-limiter.ts';
import { TurnQueue, type Lane } from './turn-queue.ts';

export interface AdaptiveLimiterOptions {
  readonly runtime: Runtime;
  /** The server's address, for messages. */
  readonly server: string;
  readonly logger?: Logger | undefined;
  /** @defaultValue 10 000 */
  readonly maxQueued?: number | undefined;
  /** Called when the rate or the number of waiting requests has changed. */
  readonly onChange?: (() => void) | undefined;
  /** Called when the rate has fallen. */
  readonly onSlowdown?: (() => void) | undefined;
}

/** After a pause, the requests of this time may go at once, milliseconds. */
const BURST_MS = 50;

/** A change of the rate below this share is not passed on to the queue. */
const NOTICEABLE = 0.01;

/**
 * Lets all requests go until the server refuses some because it gets too many; then as many a second as it accepts.
 *
 * Guarantees:
 * - Before the first refusal a request waits for nothing, and costs two counters.
 * - The rate falls at most once a second, by a fifth; if the server has refused much, to four fifths of what it has accepted.
 *   It grows while the server accepts requests and others wait: by a fifth each second until the second refusal, then slower.
 * - Thirty seconds after the last refusal and the last request that had to wait, there is no limit any more.
 * - No timer is armed while no request waits.
 */
export class AdaptiveLimiter implements RequestLimiter {
  readonly #options: AdaptiveLimiterOptions;
  readonly #logger: Logger;
  readonly #rate = new AdaptiveRate();
  readonly #queue: TurnQueue;
  /** The rate that the queue has. */
  #applied = Infinity;

  constructor(options: AdaptiveLimiterOptions) {
    this.#options = options;
    this.#logger = options.logger ?? consoleLogger;
    this.#queue = new TurnQueue({
      runtime: options.runtime,
      maxQueued: options.maxQueued ?? MOST_QUEUED,
      describe: () =>
        `for ${options.server}, which refuses requests (429) and accepts about ${shown(this.rate)} a second; send fewer at a time`,
      onChange: options.onChange,
    });
  }

  get rate(): number {
    return this.#rate.limit;
  }

  get queued(): number {
    return this.#queue.size;
  }

  turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#applied === Infinity) return undefined;
    const nowMs = this.#options.runtime.monotonicMs();
    if (this.#queue.size === 0 && this.#rate.forget(nowMs)) {
      this.#logger.info('the server accepts all requests again', { server: this.#options.server });
      this.#apply();
      return undefined;
    }
    const waiting = this.#queue.turn(lane, signal);
    if (waiting !== undefined) this.#rate.waited(nowMs);
    return waiting;
  }

  answered(sentMs: number, load: boolean): void {
    const nowMs = this.#options.runtime.monotonicMs();
    if (this.#queue.size > 0) this.#rate.waited(nowMs);
    if (!load) {
      this.#rate.accepted(nowMs);
      if (this.#rate.limit > this.#applied * (1 + NOTICEABLE)) this.#apply();
      return;
    }
    if (!this.#rate.refused(nowMs, sentMs)) return;
    const { server, onSlowdown } = this.#options;
    this.#logger.info(
      'the server refuses requests because it gets too many; they wait for a turn',
      {
        server,
        requestsPerSecond: shown(this.rate),
        waiting: this.queued,
      },
    );
    onSlowdown?.();
    this.#apply();
  }

  close(reason: unknown): void {
    this.#queue.close(reason);
  }

  #apply(): void {
    const rate = this.#rate.limit;
    this.#applied = rate;
    this.#queue.limit(rate, Math.max(1, (rate * BURST_MS) / 1000));
    this.#options.onChange?.();
  }
}

function shown(rate: number): string {
  return rate >= 10 ? rate.toFixed(0) : rate.toFixed(1);
}
