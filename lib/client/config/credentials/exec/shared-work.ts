import { abortable } from '../../../../kernel/time/abort.ts';

/**
 * Work that several callers wait for. A caller that aborts leaves the others waiting; when the last one has left before the work
 * has settled, `onDeserted` is called once.
 */
export class SharedWork<R> {
  readonly #work: Promise<R>;
  readonly #onDeserted: () => void;
  #waiting = 0;
  #isOver = false;

  constructor(work: Promise<R>, onDeserted: () => void) {
    this.#work = work;
    this.#onDeserted = onDeserted;
    const over = (): void => {
      this.#isOver = true;
    };
    // It also handles the rejection of work that all callers have left.
    work.then(over, over);
  }

  /** Settles as the work does, or rejects with the signal's reason. A caller without a signal waits to the end. */
  async wait(signal: AbortSignal | undefined): Promise<R> {
    this.#waiting += 1;
    try {
      return await abortable(this.#work, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isOver) {
        this.#isOver = true;
        this.#onDeserted();
      }
    }
  }
}
