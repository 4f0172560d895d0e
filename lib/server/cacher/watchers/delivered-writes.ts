import type { Runtime } from '../../../kernel/runtime.ts';
import type { Revision } from '../../mvcc/key-value-store.ts';

/**
 * Longest wait for the event of a write, milliseconds. Only the watch on a remote engine can take longer than a few microtasks.
 */
const LONGEST_WAIT_MS = 50;

export interface DeliveredWritesOptions {
  readonly runtime: Runtime;
  /** Runs the pending deliveries of events to readers; undefined if there are none. */
  readonly deliver: () => Promise<void> | undefined;
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
}

/**
 * Holds the answer of a write back until the readers of the watches have its event. A client that has the answer may act on it at
 * once; if its cache got the event later, it would act on a state before its own write.
 *
 * A reader that is busy is not waited for. The wait is bounded, also when the watch on the storage has ended.
 */
export class DeliveredWrites {
  readonly #options: DeliveredWritesOptions;
  readonly #waiters = new Set<Waiter>();
  #offered: Revision = 0n;

  constructor(options: DeliveredWritesOptions) {
    this.#options = options;
  }

  /** Records that every watcher was offered all events up to `revision`. */
  reach(revision: Revision): void {
    this.#offered = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }

  /** Ends all waits: no further events will come for now. */
  release(): void {
    for (const waiter of this.#waiters) waiter.resolve();
  }

  /** Resolves when the readers that were waiting have the event of `revision`. */
  async wait(revision: Revision): Promise<void> {
    if (revision > this.#offered) await this.#untilOffered(revision);
    await this.#options.deliver();
  }

  #untilOffered(revision: Revision): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve: () => {
          timer.cancel();
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = this.#options.runtime.setTimer(LONGEST_WAIT_MS, waiter.resolve, {
        background: true,
      });
      this.#waiters.add(waiter);
    });
  }
}
