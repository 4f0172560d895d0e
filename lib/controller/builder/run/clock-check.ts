import type { Runtime } from '../../../kernel/time/runtime.ts';

/** A difference between the two clocks that is no drift, milliseconds. */
const JUMP_MS = 60_000;

/** Notices when the clock of the machine is set: the time of day moves, and the time that has passed does not. */
export class ClockCheck {
  readonly #runtime: Runtime;
  #offsetMs: number;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#offsetMs = runtime.wallMs() - runtime.monotonicMs();
  }

  /** The change of the clock since the last call, as text; undefined: nothing. */
  jump(): string | undefined {
    const offsetMs = this.#runtime.wallMs() - this.#runtime.monotonicMs();
    const byMs = offsetMs - this.#offsetMs;
    if (Math.abs(byMs) < JUMP_MS) return undefined;
    this.#offsetMs = offsetMs;
    const seconds = Math.round(Math.abs(byMs) / 1000);
    const way = byMs > 0 ? 'forward' : 'back';
    return `the clock of this machine was set ${way} by ${seconds} s, or the machine slept: delays go on as they were, times in conditions and events are those of the new clock; check its time synchronisation`;
  }
}
