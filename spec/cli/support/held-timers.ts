import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';

/** A real runtime whose timers of one delay fire when a spec says so, so that no spec waits for a time limit. */
export class HeldTimers {
  readonly runtime: Runtime;
  readonly #held = new Set<() => void>();

  constructor(delayMs: number) {
    this.runtime = {
      ...realRuntime,
      setTimer: (delay, callback, options) => {
        if (delay !== delayMs) return realRuntime.setTimer(delay, callback, options);
        this.#held.add(callback);
        return { cancel: () => void this.#held.delete(callback) };
      },
    };
  }

  get held(): number {
    return this.#held.size;
  }

  fire(): void {
    const due = [...this.#held];
    this.#held.clear();
    for (const callback of due) {
      callback();
    }
  }
}

/** A runtime whose wall clock is wrong. */
export function wrongClock(aheadMs: number): Runtime {
  return { ...realRuntime, wallMs: () => realRuntime.wallMs() + aheadMs };
}
