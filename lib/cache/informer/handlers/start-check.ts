import { ListwatchError } from '../../../kernel/errors.ts';
import { Latch } from '../../../kernel/latch.ts';
import type { Runtime } from '../../../kernel/runtime.ts';

/** What can be started, as a wait sees it. */
export interface Startable {
  readonly informer: string;
  readonly runtime: Runtime;
  /** It has been started, or has stopped without. */
  readonly started: () => boolean;
}

/**
 * Ends waits for an informer that has not been started, which would last until their deadline, or for ever. An informer that is
 * started later in the same task is in time, also behind an `await` of a promise that is settled: the check is the next task.
 */
export class StartCheck {
  readonly #startable: Startable;
  #latch: Latch | undefined;

  constructor(startable: Startable) {
    this.#startable = startable;
  }

  /** Opens in the next task unless the informer has been started by then. One for all waits of a task. */
  latch(): Latch {
    if (this.#latch !== undefined && !this.#latch.isOpen) return this.#latch;
    const { informer, runtime, started } = this.#startable;
    const latch = new Latch(`start of ${informer}`);
    this.#latch = latch;
    if (!started()) {
      runtime.queueTask(() => {
        if (!started()) latch.open();
      });
    }
    return latch;
  }

  /** @throws {ListwatchError} code NOT_STARTED when that is why the wait has ended. */
  throwIfNotStarted(): void {
    const { informer, started } = this.#startable;
    if (started()) return;
    throw new ListwatchError(
      'NOT_STARTED',
      `cannot wait for the first list of ${informer}, which has not been started: call start() of its factory, or run(), before the wait or in the same task`,
    );
  }
}
