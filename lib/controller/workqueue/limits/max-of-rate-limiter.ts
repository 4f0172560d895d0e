import type { RateLimiter } from './rate-limiter.ts';

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
