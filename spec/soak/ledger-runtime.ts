import type { Runtime, Timer, TimerOptions } from '../../lib/kernel/time/runtime.ts';

/** A runtime that knows how many timers its user still has, background ones included. */
export class LedgerRuntime implements Runtime {
  timers = 0;
  /** Timers whose time has come. */
  fired = 0;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  wallMs(): number {
    return this.#runtime.wallMs();
  }

  monotonicMs(): number {
    return this.#runtime.monotonicMs();
  }

  random(): number {
    return this.#runtime.random();
  }

  queueTask(task: () => void): void {
    this.#runtime.queueTask(task);
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    this.timers += 1;
    let live = true;
    const strike = (): void => {
      if (live) this.timers -= 1;
      live = false;
    };
    const timer = this.#runtime.setTimer(
      delayMs,
      () => {
        strike();
        this.fired += 1;
        callback();
      },
      options,
    );
    return {
      cancel: (): void => {
        strike();
        timer.cancel();
      },
    };
  }
}
