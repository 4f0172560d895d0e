import { Backoff, type BackoffOptions } from '../../kernel/time/backoff.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ServerGate } from './contract/lister-watcher.ts';
import type { BackingOffState } from './table/reflector-state.ts';

/** The longest wait that a server can ask of a reflector, milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/** Of the back-off, for a server that accepts watches and ends them at once. */
const REOPEN_SHARE = 0.25;

/** The longest delay while the gate is closed, milliseconds: the gate limits attempts, and the end of an outage is noticed soon. */
const LONGEST_AT_GATE_MS = 5000;

/** Determines when a reflector may send a request: its own back-off, and the gate shared with other readers of its server. */
export class ReflectorPace {
  readonly #backoff: Backoff;
  readonly #gate: ServerGate | undefined;
  readonly #leastGapMs: number;
  #presentMs = 0;

  constructor(runtime: Runtime, backoff: BackoffOptions, gate: ServerGate | undefined) {
    this.#backoff = new Backoff(runtime, backoff);
    this.#gate = gate;
    this.#leastGapMs = backoff.baseMs * REOPEN_SHARE;
  }

  /** The last delay of the back-off since it was reset, milliseconds. */
  get presentMs(): number {
    return this.#presentMs;
  }

  /** The reason why requests wait, as text; undefined while the server answers, and for a source without a gate. */
  get waitingFor(): string | undefined {
    return this.#gate?.waitingFor;
  }

  /** Resets the back-off: the next delay is the first one. */
  reset(): void {
    this.#backoff.reset();
    this.#presentMs = 0;
  }

  /** The length of a wait that begins, milliseconds. */
  next({ retryAfterMs, pace }: BackingOffState): number {
    const leastMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
    // A back-off that is shorter than the default shortens this, too.
    if (pace === 'none') return Math.min(leastMs, this.#leastGapMs);
    const stepMs = this.#backoff.step() * (pace === 'reopen' ? REOPEN_SHARE : 1);
    const mostMs = this.waitingFor === undefined ? Infinity : LONGEST_AT_GATE_MS;
    this.#presentMs = Math.round(Math.min(stepMs, mostMs));
    return Math.max(this.#presentMs, leastMs);
  }

  /** Undefined when a request may be sent at once. Rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void> | undefined {
    return this.#gate?.turn(signal);
  }
}
