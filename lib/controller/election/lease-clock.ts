import type { Runtime } from '../../kernel/time/runtime.ts';

/** A moment by both clocks of a machine. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/**
 * How much time has passed, for a process that must not believe for too long that it holds a lease.
 *
 * The monotonic clock of a machine stands still while the machine is suspended, or its virtual machine is paused; the wall clock is set
 * forward afterwards. So the larger of both differences counts. A wall clock that is set forward for another reason ends a lease too early,
 * which is safe; one that is set back changes nothing.
 */
export class LeaseClock {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  now(): Moment {
    return { monotonicMs: this.#runtime.monotonicMs(), wallMs: this.#runtime.wallMs() };
  }

  /** Milliseconds since then, at most. */
  atMostMs({ monotonicMs, wallMs }: Moment): number {
    const now = this.now();
    return Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs);
  }

  /** Milliseconds since then, at least: for a process that waits until the lease of another one has ended. */
  atLeastMs({ monotonicMs }: Moment): number {
    return this.#runtime.monotonicMs() - monotonicMs;
  }
}
