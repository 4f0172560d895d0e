import type { Runtime } from '../../kernel/runtime.ts';

/** Callbacks run in one task; the rest get the next one, so that input and timers wait a few milliseconds at most. */
const MOST_AT_ONCE = 250;

/**
 * Runs all that was asked for during one turn of the event loop together, in the order it was asked for, when the turn is over:
 * what many events of one turn would cause over and over happens once.
 */
export class NextTurn {
  readonly #runtime: Runtime;
  readonly #callbacks: (() => void)[] = [];
  #queued = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** @param callback must not throw */
  run(callback: () => void): void {
    this.#callbacks.push(callback);
    this.#queue();
  }

  #queue(): void {
    if (this.#queued) return;
    this.#queued = true;
    this.#runtime.queueTask(() => {
      this.#queued = false;
      for (const callback of this.#callbacks.splice(0, MOST_AT_ONCE)) callback();
      if (this.#callbacks.length > 0) this.#queue();
    });
  }
}
