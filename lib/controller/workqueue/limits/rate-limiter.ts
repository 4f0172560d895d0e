/** Determines the delay before a failed key is retried. */
export interface RateLimiter<K = string> {
  /** Counts one more failure of the key and returns the delay before its retry, in milliseconds. */
  nextDelayMs(key: K): number;
  /** Forgets the failures of the key. Call it after a success; otherwise the memory for the key is never freed. */
  forget(key: K): void;
  /** Failures of the key since `forget` was last called. */
  numRequeues(key: K): number;
}
