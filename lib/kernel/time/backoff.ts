import { is, optionsOf } from '../options/options-schema.ts';
import type { Runtime } from './runtime.ts';

export interface BackoffOptions {
  /** First delay before jitter, milliseconds. */
  readonly baseMs: number;
  /** Largest delay before jitter, milliseconds. */
  readonly capMs: number;
  /** Growth per step. @defaultValue 2 */
  readonly factor?: number | undefined;
  /** Share of the delay added at random: the delay lies in [d, d × (1 + jitter)). @defaultValue 1 */
  readonly jitter?: number | undefined;
  /** When nothing failed for this long after a delay was over, the next one starts at the base again. @defaultValue 120 000 */
  readonly resetAfterMs?: number | undefined;
}

const OPTIONS = optionsOf<BackoffOptions>()('Backoff', {
  baseMs: is.number({ min: 0 }).required,
  capMs: is.number({ min: 0 }).required,
  factor: is.number({ min: 1 }).default(2),
  jitter: is.number({ min: 0 }).default(1),
  resetAfterMs: is.number({ min: 0 }).default(120_000),
});

/**
 * The option `backoff` of a part that has all defaults. A delay of 0 would be no back-off.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function readBackoff(
  owner: string,
  baseMs: number,
  given: Partial<BackoffOptions> = {},
): BackoffOptions {
  return optionsOf<Partial<BackoffOptions>>()(owner, {
    ...OPTIONS.rules,
    baseMs: is.number({ min: 1 }).default(baseMs),
    capMs: is.number({ min: 1 }).default(30_000),
  }).read(given, owner, 'backoff.');
}

/**
 * Exponential delays with additive jitter.
 *
 * It resets after a quiet period, counted from the end of the last delay: client-go's present rule counts from the last *reset* and so
 * drops back to the base in the middle of an outage (wait/backoff.go Step @ eed236c).
 */
export class Backoff {
  readonly #runtime: Runtime;
  readonly #options: Readonly<Record<keyof BackoffOptions, number>>;
  #nextMs: number;
  #delayOverAtMs: number | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(runtime: Runtime, options: BackoffOptions) {
    this.#runtime = runtime;
    this.#options = OPTIONS.read(options);
    this.#nextMs = options.baseMs;
  }

  /** The next delay in milliseconds, jitter included. */
  step(): number {
    const { baseMs, capMs, factor, jitter, resetAfterMs } = this.#options;
    const nowMs = this.#runtime.monotonicMs();
    if (this.#delayOverAtMs !== undefined && nowMs - this.#delayOverAtMs > resetAfterMs) {
      this.#nextMs = baseMs;
    }
    const delayMs = Math.min(this.#nextMs, capMs);
    this.#nextMs = Math.min(capMs, delayMs * factor);
    const jitteredMs = delayMs * (1 + this.#runtime.random() * jitter);
    this.#delayOverAtMs = nowMs + jitteredMs;
    return jitteredMs;
  }

  /** Forgets the past: the next delay is the base again. */
  reset(): void {
    this.#nextMs = this.#options.baseMs;
    this.#delayOverAtMs = undefined;
  }
}
