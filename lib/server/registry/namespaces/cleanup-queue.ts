import { Backoff } from '../../../kernel/time/backoff.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';

export interface CleanupQueueOptions {
  /** The name of the work in log messages. */
  readonly name: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Does the work that is possible now for one key; returns true when nothing is left to do. May run any number of times. */
  readonly clean: (key: string, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Repeats a cleanup per key until it is finished: after 50 ms, then at growing intervals up to 5 s, without a time limit, because
 * the cleanup may wait for a finalizer. At most one run per key at a time; one entry per key.
 */
export class CleanupQueue {
  readonly #options: CleanupQueueOptions;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were added again during their cleanup. */
  readonly #again = new Set<string>();

  constructor(options: CleanupQueueOptions) {
    this.#options = options;
  }

  /** Keys whose cleanup is not finished. */
  get size(): number {
    return this.#running.size;
  }

  /** Starts the cleanup of a key; if it is running, it runs once more afterwards. */
  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    // Asynchronous, so that the key is in the table before its cleanup can add it again.
    const run = Promise.resolve()
      .then(() => this.#run(key))
      .finally(() => {
        this.#running.delete(key);
        if (this.#again.delete(key)) this.add(key);
      });
    this.#running.set(key, run);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  async #run(key: string): Promise<void> {
    const { runtime, logger, name, clean } = this.#options;
    const { signal } = this.#stop;
    const backoff = new Backoff(runtime, { baseMs: 50, capMs: 5000, jitter: 0.1 });
    while (!signal.aborted) {
      try {
        if (await clean(key, signal)) return;
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('cleanup failed, and is tried again', { name, key, error });
      }
      await sleep(runtime, backoff.step(), { signal, background: true }).catch(() => {});
    }
  }
}
