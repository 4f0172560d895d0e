import { rejectUnknownOptions } from '../../kernel/options/options.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { defaultRateLimiter } from './limits/rate-limiter-presets.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { workQueueOptionNames, type WorkQueueOptions } from './work-queue.ts';

export interface RateLimitingQueueOptions<K = string> extends WorkQueueOptions {
  /** Determines the delay of a failed key. @defaultValue `defaultRateLimiter`: 5 ms doubling to 1000 s, no common limit for all keys */
  readonly rateLimiter?: RateLimiter<K> | undefined;
}

const OPTION_NAMES: readonly (keyof RateLimitingQueueOptions)[] = [
  ...workQueueOptionNames,
  'rateLimiter',
];

/**
 * The queue of a controller: event handlers `add` keys, and a worker that failed adds its key again with a growing delay.
 *
 * Memory, beyond that of `DelayingQueue`: the limiter's state for each key with failures that were not forgotten.
 * @see client-go util/workqueue/rate_limiting_queue.go @ 32ce75a7
 */
export class RateLimitingQueue<K = string> extends DelayingQueue<K> {
  readonly #rateLimiter: RateLimiter<K>;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: RateLimitingQueueOptions<K> = {}) {
    rejectUnknownOptions('RateLimitingQueue', options, OPTION_NAMES);
    const { rateLimiter, ...rest } = options;
    super(rest);
    this.#rateLimiter = rateLimiter ?? defaultRateLimiter<K>(options.runtime);
  }

  /**
   * Adds the key after the delay that the rate limiter returns. For retries; event handlers use `add`.
   * Returns the delay in milliseconds, or undefined when the queue is closing and the key was ignored.
   */
  addRateLimited(key: K): number | undefined {
    if (this.closing) return undefined;
    const delayMs = this.#rateLimiter.nextDelayMs(key);
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** Forgets the failures of the key. A scheduled add is not cancelled. */
  forget(key: K): void {
    this.#rateLimiter.forget(key);
  }

  /** Failures of the key since `forget` was last called. */
  numRequeues(key: K): number {
    return this.#rateLimiter.numRequeues(key);
  }
}
