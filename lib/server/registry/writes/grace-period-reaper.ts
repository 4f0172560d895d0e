import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { NodeConnector } from '../contract/node-connector.ts';
import { isConflict, isNotFound } from '../../../meta/failure/failures.ts';

/** Delay before another try after a failure, e.g. when the storage is unreachable. */
const RETRY_MS = 5000;

export interface GracePeriodReaperOptions {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Those of this process, which may end deleted pods themselves. @defaultValue none */
  readonly nodes?: Pick<NodeConnector, 'endsPods'> | undefined;
}

/**
 * Removes objects whose grace period is over, as the kubelet does on a cluster with nodes; nothing while there are such nodes.
 * Has one timer for each object in its grace period; the timers do not keep the process alive.
 */
export class GracePeriodReaper {
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #nodes: Pick<NodeConnector, 'endsPods'> | undefined;
  readonly #timers = new Map<string, Timer>();
  #closed = false;

  constructor({ runtime, logger, nodes }: GracePeriodReaperOptions) {
    this.#runtime = runtime;
    this.#logger = logger;
    this.#nodes = nodes;
  }

  /** Number of objects in their grace period. */
  get size(): number {
    return this.#timers.size;
  }

  /** Calls `remove` at `dueMs` on the wall clock; replaces an earlier schedule of the key. */
  schedule(key: string, dueMs: number, remove: () => Promise<void>): void {
    this.forget(key);
    if (this.#closed || this.#nodes?.endsPods === true) return;
    const delayMs = dueMs - this.#runtime.wallMs();
    const timer = this.#runtime.setTimer(
      delayMs,
      () => {
        this.#timers.delete(key);
        void this.#remove(key, remove);
      },
      { background: true },
    );
    this.#timers.set(key, timer);
  }

  /** Cancels the schedule of a key. */
  forget(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  close(): void {
    this.#closed = true;
    for (const key of this.#timers.keys()) this.forget(key);
  }

  async #remove(key: string, remove: () => Promise<void>): Promise<void> {
    if (this.#nodes?.endsPods === true) return;
    try {
      await remove();
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      this.#logger.warn('an object could not be removed at the end of its grace period', {
        key,
        error: errorMessage(error),
      });
      this.schedule(key, this.#runtime.wallMs() + RETRY_MS, remove);
    }
  }
}
