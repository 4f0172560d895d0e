import type { Runtime } from '../../../kernel/time/runtime.ts';

/** A clock that is read once per task. For callers that need the time often and without fractions. */
export class TaskClock {
  readonly #runtime: Runtime;
  #nowMs: number | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The time of the first read in this turn of the event loop, milliseconds. */
  get nowMs(): number {
    if (this.#nowMs === undefined) {
      this.#nowMs = this.#runtime.monotonicMs();
      this.#runtime.queueTask(this.#expire);
    }
    return this.#nowMs;
  }

  readonly #expire = (): void => {
    this.#nowMs = undefined;
  };
}
