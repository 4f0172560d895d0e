import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface ItemExponentialRateLimiterOptions {
  /** Delay after the first failure, before jitter, in milliseconds. @defaultValue 5 */
  readonly baseMs?: number | undefined;
  /** Largest delay before jitter, in milliseconds. @defaultValue 1 000 000 */
  readonly capMs?: number | undefined;
  /**
   * Share of the delay added at random, so that keys that failed together are not retried together; 0 for none.
   * The delay lies in [d, d × (1 + jitter)). @defaultValue 0.1
   */
  readonly jitter?: number | undefined;
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<ItemExponentialRateLimiterOptions>()('ItemExponentialRateLimiter', {
  baseMs: is.number({ min: 0 }).default(5),
  capMs: is.number({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(1_000_000),
  jitter: is.number({ min: 0, max: 10 }).default(0.1),
  runtime: is.object().default(realRuntime),
});

/**
 * Doubles the delay of a key with each failure: 5 ms, 10 ms, … 5.12 s at the 11th, 1000 s from the 19th on.
 *
 * Memory: one number for each key with failures that were not forgotten.
 * @see client-go util/workqueue/default_rate_limiters.go ItemExponentialFailureRateLimiter @ 32ce75a7, which has no jitter
 */
export class ItemExponentialRateLimiter<K = string> implements RateLimiter<K> {
  readonly #runtime: Runtime;
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #jitter: number;
  readonly #failures = new Map<K, number>();

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ItemExponentialRateLimiterOptions = {}) {
    const { baseMs, capMs, jitter, runtime } = OPTIONS.read(options);
    this.#runtime = runtime;
    this.#baseMs = baseMs;
    this.#capMs = capMs;
    this.#jitter = jitter;
  }

  nextDelayMs(key: K): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    // 2 ** 1100 is Infinity, which the cap limits; but 0 * Infinity is NaN.
    const delayMs = this.#baseMs === 0 ? 0 : Math.min(this.#baseMs * 2 ** failures, this.#capMs);
    return delayMs * (1 + this.#runtime.random() * this.#jitter);
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  numRequeues(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}
