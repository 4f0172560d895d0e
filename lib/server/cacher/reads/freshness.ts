import { onAbort } from '../../../kernel/abort.ts';
import type { Runtime, Timer } from '../../../kernel/runtime.ts';
import { tooLargeResourceVersion } from '../../../meta/failures.ts';
import type { Revision } from '../../mvcc/key-value-store.ts';

export interface FreshnessOptions {
  readonly runtime: Runtime;
  /** Asks the backend to tell the cache's watch how far it is. Must not reject. */
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
 * Lets readers wait until the cache has reached a revision, and while a reader waits asks the backend for its revision: a
 * resource that does not change would otherwise not notice that time has moved on.
 * @see apiserver pkg/storage/cacher/progress/watch_progress.go @ 24a394e
 */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #waiters = new Set<Waiter>();
  #reached: Revision = 0n;
  #timer: Timer | undefined;
  #requesting = false;
  #requestAgain = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Readers that wait at present. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Records that the cache shows `revision` and wakes those who waited for it. */
  reach(revision: Revision): void {
    this.#reached = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }

  /** Rejects all readers that wait. */
  close(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  /**
   * Resolves when the cache shows `revision` or a later one.
   * @throws {ApiError} 504, too large, after the timeout; the signal's reason when it aborts.
   */
  async waitFor(revision: Revision, signal?: AbortSignal): Promise<void> {
    if (revision <= this.#reached) return;
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

  /** One request at a time; a reader that comes while one is under way is covered by the next. */
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
