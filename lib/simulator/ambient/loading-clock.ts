import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

interface Waiting {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A fixed time, before that of every run. */
const START_MS = Date.UTC(2024, 0, 1);

/**
 * The clock of modules that are being loaded. It stands still while they compute, and goes on to the next timer when they wait, so that
 * what they read does not depend on the speed of the machine. Once they are loaded, their timers never fire.
 */
export class LoadingClock implements Runtime {
  #nowMs = 0;
  #waiting: Waiting[] = [];

  wallMs(): number {
    return START_MS + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** Not used: the random numbers of modules have a generator of their own. */
  random(): number {
    return 0;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const waiting = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#waiting.push(waiting);
    return {
      cancel: () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
      },
    };
  }

  queueTask(task: () => void): void {
    this.setTimer(0, task);
  }

  /** Goes on to the next timer, if there is one. */
  step(): void {
    let next: Waiting | undefined;
    for (const one of this.#waiting) if (next === undefined || one.atMs < next.atMs) next = one;
    if (next === undefined) return;
    const due = next;
    this.#waiting = this.#waiting.filter((one) => one !== due);
    this.#nowMs = Math.max(this.#nowMs, due.atMs);
    due.callback();
  }
}
