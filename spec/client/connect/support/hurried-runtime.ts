import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime, Timer, TimerOptions } from '../../../../lib/kernel/time/runtime.ts';

/**
 * The machine's time, so many times as fast: minutes of back-off pass in a second, beside real sockets and processes. A slow
 * machine makes fewer attempts in the same time, never more.
 */
export class HurriedRuntime implements Runtime {
  readonly #factor: number;
  readonly #startMs: number = realRuntime.wallMs();

  constructor(factor: number) {
    this.#factor = factor;
  }

  wallMs(): number {
    return this.#startMs + (realRuntime.wallMs() - this.#startMs) * this.#factor;
  }

  monotonicMs(): number {
    return realRuntime.monotonicMs() * this.#factor;
  }

  random(): number {
    return realRuntime.random();
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    return realRuntime.setTimer(delayMs / this.#factor, callback, options);
  }

  queueTask(task: () => void): void {
    realRuntime.queueTask(task);
  }
}
