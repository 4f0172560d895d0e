import { onAbort } from '../../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { tooLargeResourceVersion } from '../../../meta/failure/failures.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';

export interface FreshnessOptions {
  readonly runtime: Runtime;
  /** Asks the backend to report the progress of the cache's watch. Must not reject. */
  readonly requestProgress: () => Promise<void>;
  /** Longest wait, milliseconds. */
  readonly timeoutMs: number;
  /** Interval of progress requests while a reader waits, milliseconds. */
  readonly progressIntervalMs: number;
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets readers wait until the cache has reached a revision. While a reader waits, it requests progress from the backend: if the
 * resource does not change, the cache would not learn of newer revisions otherwise.
 * @see apiserver pkg/storage/cacher/progress/watch_progress.go @ 24a394e
 */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #waiters = new Set<Waiter>();
  #reached: Revision = 0n;
  #timer: Timer | undefined;
  #requesting = false;
  #requestAgain = false;
  #closed: { readonly error: unknown } | undefined;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Number of readers that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Records that the cache has reached `revision`, and wakes the readers that waited for it. */
  reach(revision: Revision): void {
    this.#reached = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }

  /** Rejects all waiting readers, and those that would wait from now on. */
  close(error: unknown): void {
    this.#closed = { error };
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  /**
   * Resolves when the cache has reached `revision`.
   * @throws {ApiError} 504, too large, after the timeout; the signal's reason when it aborts; the error of `close` after it.
   */
  async waitFor(revision: Revision, signal?: AbortSignal): Promise<void> {
    if (revision <= this.#reached) return;
    if (this.#closed !== undefined) throw this.#closed.error;
    const { runtime, timeoutMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        deadline.cancel();
        release();
        this.#waiters.delete(waiter);
        if (this.#waiters.size === 0) this.#timer?.cancel();
      };
      const waiter: Waiter = {
        revision,
        resolve: () => {
          settle();
          resolve();
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      const deadline = runtime.setTimer(timeoutMs, () => {
        waiter.reject(tooLargeResourceVersion(revision.toString(), this.#reached.toString()));
      });
      this.#waiters.add(waiter);
      let release = (): void => {};
      release = onAbort(signal, () => {
        waiter.reject(signal?.reason);
      });
      if (this.#waiters.size > 0) this.#requestProgress();
    });
  }

  /** Sends one request at a time. A reader that starts to wait during a request is covered by the next one. */
  #requestProgress(): void {
    this.#requestAgain = true;
    this.#armTimer();
    if (!this.#requesting) void this.#request();
  }

  async #request(): Promise<void> {
    this.#requesting = true;
    while (this.#requestAgain && this.#waiters.size > 0) {
      this.#requestAgain = false;
      await this.#options.requestProgress();
    }
    this.#requesting = false;
  }

  #armTimer(): void {
    const { runtime, progressIntervalMs } = this.#options;
    this.#timer?.cancel();
    this.#timer = runtime.setTimer(
      progressIntervalMs,
      () => {
        if (this.#waiters.size > 0) this.#requestProgress();
      },
      { background: true },
    );
  }
}
