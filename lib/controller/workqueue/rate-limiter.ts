/** Decides how long a key that failed has to wait for its next turn. */
export interface RateLimiter<K = string> {
  /** Counts one more failure of the key and returns the delay before its retry, in milliseconds. */
  nextDelayMs(key: K): number;
  /** Forgets the failures of the key; call it on success, or the memory of the key stays. */
  forget(key: K): void;
  /** Failures of the key since it was last forgotten. */
  numRequeues(key: K): number;
}
