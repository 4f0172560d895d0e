import type { Runtime } from './runtime.ts';

export interface RetryWithDeadlineOptions {
  readonly runtime: Runtime;
  /** The time for which failures may be retried, counted from the first one, milliseconds. 0: no retries. */
  readonly maxRetryMs: number;
  /** After a gap of this length, the next failure counts as the first one again, milliseconds. */
  readonly resetAfterMs: number;
}

/**
 * Allows retries for a time, counted from the first failure of a row.
 * @see client-go tools/cache/retry_with_deadline.go @ 32ce75a7
 */
export class RetryWithDeadline {
  readonly #options: RetryWithDeadlineOptions;
  #firstMs: number | undefined;
  #lastMs = 0;

  constructor(options: RetryWithDeadlineOptions) {
    this.#options = options;
  }

  /** Counts a failure of a kind that may be retried. */
  after(): void {
    const { runtime, resetAfterMs } = this.#options;
    const nowMs = runtime.monotonicMs();
    if (this.#firstMs === undefined || nowMs - this.#lastMs >= resetAfterMs) this.#firstMs = nowMs;
    this.#lastMs = nowMs;
  }

  /** Whether the last failure may be retried. Returns false once when the time is over; then a new time begins. */
  shouldRetry(): boolean {
    const { runtime, maxRetryMs } = this.#options;
    if (maxRetryMs <= 0) return false;
    const sinceMs = runtime.monotonicMs() - (this.#firstMs ?? -Infinity);
    if (sinceMs <= maxRetryMs) return true;
    this.#firstMs = undefined;
    return false;
  }
}
