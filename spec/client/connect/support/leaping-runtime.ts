import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime, Timer, TimerOptions } from '../../../../lib/kernel/time/runtime.ts';

/** The machine's time, whose clocks can be put forward. Timers that are running are not affected. */
export class LeapingRuntime implements Runtime {
  #leptMs = 0;

  leap(ms: number): void {
    this.#leptMs += ms;
  }

  wallMs(): number {
    return realRuntime.wallMs() + this.#leptMs;
  }

  monotonicMs(): number {
    return realRuntime.monotonicMs() + this.#leptMs;
  }

  random(): number {
    return realRuntime.random();
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    return realRuntime.setTimer(delayMs, callback, options);
  }

  queueTask(task: () => void): void {
    realRuntime.queueTask(task);
  }
}
