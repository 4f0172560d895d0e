import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';

/** The interface of an object that can be started, as a wait needs it. */
export interface Startable {
  readonly informer: string;
  readonly runtime: Runtime;
  /** It has been started, or it has stopped without a start. */
  readonly started: () => boolean;
}

/**
 * Ends waits for an informer that has not been started; they would last until their deadline, or for ever. The check runs in
 * the next task, so an informer may be started later in the same task, also after an `await` of a settled promise.
 */
export class StartCheck {
  readonly #startable: Startable;
  #latch: Latch | undefined;

  constructor(startable: Startable) {
    this.#startable = startable;
  }

  /** Opens in the next task unless the informer has been started by then. All waits of a task share it. */
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

  /** @throws {ListwatchError} code NOT_STARTED when the wait ended for this reason. */
  throwIfNotStarted(): void {
    const { informer, started } = this.#startable;
    if (started()) return;
    throw new ListwatchError(
      'NOT_STARTED',
      `cannot wait for the first list of ${informer}, which has not been started: call start() of its factory, or run(), before the wait or in the same task`,
    );
  }
}
