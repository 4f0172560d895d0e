import type { Runtime, Timer, TimerOptions } from './runtime.ts';

/** With a longer delay Node would fire at once; longer timers are re-armed in steps of this length. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

class RealTimer implements Timer {
  #handle: NodeJS.Timeout | undefined;

  constructor(delayMs: number, callback: () => void, background: boolean) {
    this.#arm(delayMs > 0 ? delayMs : 0, callback, background);
  }

  #arm(delayMs: number, callback: () => void, background: boolean): void {
    const stepMs = Math.min(delayMs, LONGEST_TIMEOUT_MS);
    this.#handle = setTimeout(() => {
      this.#handle = undefined;
      if (delayMs > stepMs) this.#arm(delayMs - stepMs, callback, background);
      else callback();
    }, stepMs);
    if (background) this.#handle.unref();
  }

  cancel(): void {
    if (this.#handle !== undefined) clearTimeout(this.#handle);
    this.#handle = undefined;
  }
}

/**
 * The machine's own clock, timers and random source. It holds no state, so one serves a whole process.
 * This file and `virtual-runtime.ts` are the only ones in `lib/` that may read the ambient clock or random source.
 */
export const realRuntime: Runtime = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  setTimer: (delayMs: number, callback: () => void, options?: TimerOptions): Timer =>
    new RealTimer(delayMs, callback, options?.background ?? false),
  queueTask: (task: () => void): void => {
    setImmediate(task);
  },
};
