import { errorMessage } from '../../../kernel/failure/errors.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import { tooManyRequests } from '../../../meta/failure/failures.ts';

export type ReadinessState = 'pending' | 'ready' | 'stopped';

export interface CacherReadinessOptions {
  readonly runtime: Runtime;
  /** The name of the cache in messages. */
  readonly description: string;
  /** Longest wait of a request until the cache is filled, milliseconds. */
  readonly timeoutMs: number;
}

/** Characters of a failure that are shown. */
const LONGEST_FAILURE = 500;

/**
 * Whether the cache can answer: `pending` until it is filled and while it is filled again, then `ready`; `stopped` is final.
 * @see apiserver pkg/storage/cacher/ready.go @ 24a394e
 */
export class CacherReadiness {
  readonly #options: CacherReadinessOptions;
  readonly #waiters = new Set<() => void>();
  #state: ReadinessState = 'pending';
  #generation = 0;
  #pendingSinceMs: number;
  /** Why the cache was not filled when that was tried last; empty if it is being tried for the first time. */
  #failure = '';

  constructor(options: CacherReadinessOptions) {
    this.#options = options;
    this.#pendingSinceMs = options.runtime.monotonicMs();
  }

  get state(): ReadinessState {
    return this.#state;
  }

  /** Number of times the cache has become ready. */
  get generation(): number {
    return this.#generation;
  }

  becomeReady(): void {
    if (this.#state !== 'pending') return;
    this.#state = 'ready';
    this.#generation += 1;
    this.#failure = '';
    this.#wake();
  }

  /** Filling it has failed, and is tried again. */
  failed(error: unknown): void {
    if (this.#state === 'pending') this.#failure = errorMessage(error).slice(0, LONGEST_FAILURE);
  }

  becomePending(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'pending';
    this.#pendingSinceMs = this.#options.runtime.monotonicMs();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#wake();
  }

  /**
   * Resolves when the cache is ready.
   * @throws {ApiError} 429 with a growing `retryAfterSeconds` after the timeout; 503 when the cache was stopped; the signal's
   * reason when it aborts.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#state === 'pending') await this.#waitForChange(signal);
    if (this.#state === 'ready') return;
    const { description } = this.#options;
    if (this.#state === 'stopped') {
      throw failure('ServiceUnavailable', `the watch cache of ${description} was stopped`);
    }
    const why = this.#failure === '' ? '' : `; the last try failed: ${this.#failure}`;
    throw tooManyRequests(
      `the watch cache of ${description} is not filled yet${why}`,
      this.#retryAfterSeconds(),
    );
  }

  async #waitForChange(signal: AbortSignal | undefined): Promise<void> {
    const { runtime, timeoutMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        deadline.cancel();
        release();
        this.#waiters.delete(wake);
      };
      const wake = (): void => {
        settle();
        resolve();
      };
      const deadline = runtime.setTimer(timeoutMs, wake);
      this.#waiters.add(wake);
      const release = onAbort(signal, () => {
        settle();
        reject(signal?.reason as Error);
      });
    });
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
  }

  /** The longer the cache is not ready, the later clients should retry (cacher/delegator.go calculateRetryAfter… @ 24a394e). */
  #retryAfterSeconds(): number {
    const downSeconds = (this.#options.runtime.monotonicMs() - this.#pendingSinceMs) / 1000;
    return Math.floor(Math.min(30, Math.max(1, Math.exp(0.06 * downSeconds))));
  }
}
