import type { Runtime } from '../../kernel/runtime.ts';

/** A clock that is looked at once a task: for those who ask more often than a look is cheap, and need no fractions. */
export class TaskClock {
  readonly #runtime: Runtime;
  #nowMs: number | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The time when it was first asked for in this turn of the event loop, milliseconds. */
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
