import type { Runtime } from '../../../kernel/time/runtime.ts';

export interface TimeBudgetOptions {
  /** Milliseconds gained per second. @defaultValue 50 */
  readonly perSecondMs?: number | undefined;
  /** Maximum budget. @defaultValue 100 */
  readonly maxMs?: number | undefined;
}

/**
 * Time that may be spent waiting for slow watchers. It accrues slowly and is capped, so that slow watchers together delay the
 * others by a bounded share of time.
 * @see apiserver pkg/storage/cacher/time_budget.go @ 24a394e
 */
export class TimeBudget {
  readonly #runtime: Runtime;
  readonly #perSecondMs: number;
  readonly #maxMs: number;
  #availableMs: number;
  #countedAtMs: number;

  constructor(runtime: Runtime, { perSecondMs = 50, maxMs = 100 }: TimeBudgetOptions = {}) {
    this.#runtime = runtime;
    this.#perSecondMs = perSecondMs;
    this.#maxMs = maxMs;
    this.#availableMs = maxMs;
    this.#countedAtMs = runtime.monotonicMs();
  }

  /** Takes the whole available budget. */
  takeAvailable(): number {
    this.#accrue();
    const takenMs = this.#availableMs;
    this.#availableMs = 0;
    return takenMs;
  }

  /** Returns the unused part. */
  returnUnused(unusedMs: number): void {
    this.#accrue();
    if (unusedMs > 0) this.#availableMs = Math.min(this.#maxMs, this.#availableMs + unusedMs);
  }

  #accrue(): void {
    const nowMs = this.#runtime.monotonicMs();
    const gainedMs = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecondMs;
    this.#availableMs = Math.min(this.#maxMs, this.#availableMs + gainedMs);
    this.#countedAtMs = nowMs;
  }
}
