import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface BucketRateLimiterOptions {
  /** Sustained number of retries per second, for all keys together. @defaultValue 10 */
  readonly perSecond?: number | undefined;
  /** Number of retries without delay after a quiet time. @defaultValue 100 */
  readonly burst?: number | undefined;
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<BucketRateLimiterOptions>()('BucketRateLimiter', {
  perSecond: is.number({ min: 0.001, max: 1e9 }).default(10),
  burst: is.number({ min: 1, max: 1e9 }).default(100),
  runtime: is.object().default(realRuntime),
});

/**
 * One token bucket for all keys: each retry reserves a token and waits until the token is available.
 *
 * It is meant for retries. Event handlers should use `add`: at 10 keys a second, 5000 objects would take eight minutes to enter
 * the queue after a restart (kubernetes/kubernetes#75577).
 */
export class BucketRateLimiter<K = string> implements RateLimiter<K> {
  readonly #runtime: Runtime;
  readonly #perMs: number;
  readonly #burst: number;
  /** Negative: the number of tokens that are reserved but not available yet. */
  #tokens: number;
  #refilledAtMs: number;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: BucketRateLimiterOptions = {}) {
    const { perSecond, burst, runtime } = OPTIONS.read(options);
    this.#runtime = runtime;
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = this.#burst;
    this.#refilledAtMs = this.#runtime.monotonicMs();
  }

  nextDelayMs(): number {
    const nowMs = this.#runtime.monotonicMs();
    const refilled = this.#tokens + (nowMs - this.#refilledAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#burst, refilled) - 1;
    this.#refilledAtMs = nowMs;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Does nothing: the bucket keeps no state for a key. */
  forget(): void {}

  /** Always 0: the bucket keeps no state for a key. */
  numRequeues(): number {
    return 0;
  }
}
