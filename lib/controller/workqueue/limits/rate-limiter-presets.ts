import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { BucketRateLimiter } from './bucket-rate-limiter.ts';
import { ItemExponentialRateLimiter } from './item-exponential-rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** The default limiter of a queue: 5 ms doubling to 1000 s for each key separately, with jitter. */
export function defaultRateLimiter<K = string>(runtime: Runtime = realRuntime): RateLimiter<K> {
  return new ItemExponentialRateLimiter<K>({ runtime });
}

/**
 * client-go's default: the same without jitter, and at most 10 retries a second for all keys together after a burst of 100.
 * @see client-go util/workqueue/default_rate_limiters.go DefaultControllerRateLimiter @ 32ce75a7
 */
export function clientGoRateLimiter<K = string>(runtime: Runtime = realRuntime): RateLimiter<K> {
  return new MaxOfRateLimiter<K>(
    new ItemExponentialRateLimiter<K>({ jitter: 0, runtime }),
    new BucketRateLimiter<K>({ perSecond: 10, burst: 100, runtime }),
  );
}

/** Calls all of its members and returns the longest delay. */
export class MaxOfRateLimiter<K = string> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  nextDelayMs(key: K): number {
    let longest = 0;
    for (const limiter of this.#limiters) longest = Math.max(longest, limiter.nextDelayMs(key));
    return longest;
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: K): number {
    let largest = 0;
    for (const limiter of this.#limiters) largest = Math.max(largest, limiter.numRequeues(key));
    return largest;
  }
}
