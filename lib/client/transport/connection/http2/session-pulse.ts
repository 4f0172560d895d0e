import type { Runtime, Timer } from '../../../../kernel/time/runtime.ts';

/** A ping is sent after this time without data, milliseconds (apimachinery util/net/http.go readIdleTimeoutSeconds @ v0.36.3). */
const SILENCE_MS = 30_000;
/**
 * A ping is awaited for this number of steps of one second each; so a dead session is noticed after 34 s. Steps, because after the
 * event loop was blocked, a timer runs before an answer that has already arrived is read.
 */
const ANSWER_STEPS = 4;
const STEP_MS = 1000;
/** A session without a stream is closed after this time, milliseconds: before a server does it (Go: 90 s). */
const IDLE_MS = 60_000;

export interface SessionPulseOptions {
  readonly runtime: Runtime;
  /** Sends a ping and calls `answered` when its answer has arrived. */
  readonly ping: (answered: () => void) => void;
  /** Called once at most: a ping was not answered, or there was no stream for the idle time. */
  readonly onEnd: (reason: 'unanswered' | 'idle') => void;
}

/**
 * Watches over one session: finds out whether its server is still there, and whether it is still used.
 *
 * Guarantees:
 * - `unanswered` is reported 34 s after the last data, and 4 s after a ping; never while the server answers.
 * - `idle` is reported 60 s after the last stream.
 * - It has one timer, in the background. `stop` cancels it.
 */
export class SessionPulse {
  readonly #options: SessionPulseOptions;
  #heardMs: number;
  /** Undefined while there are streams. */
  #idleSinceMs: number | undefined;
  #steps = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: SessionPulseOptions) {
    this.#options = options;
    this.#heardMs = options.runtime.monotonicMs();
    this.#idleSinceMs = this.#heardMs;
    this.#arm(SILENCE_MS);
  }

  /** Monotonic milliseconds of the last data. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** Data has arrived. */
  heard(): void {
    this.#heardMs = this.#options.runtime.monotonicMs();
    this.#steps = 0;
  }

  used(): void {
    this.#idleSinceMs = undefined;
  }

  unused(): void {
    this.#idleSinceMs = this.#options.runtime.monotonicMs();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #arm(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.runtime.setTimer(delayMs, this.#look, { background: true });
  }

  readonly #look = (): void => {
    const nowMs = this.#options.runtime.monotonicMs();
    const idleLeftMs = (this.#idleSinceMs ?? Infinity) + IDLE_MS - nowMs;
    if (idleLeftMs <= 0) return this.#end('idle');
    const silentLeftMs = this.#heardMs + SILENCE_MS - nowMs;
    if (silentLeftMs > 0) return this.#arm(Math.min(idleLeftMs, silentLeftMs));
    if (this.#steps === ANSWER_STEPS) return this.#end('unanswered');
    if (this.#steps === 0) this.#options.ping(() => this.heard());
    this.#steps += 1;
    this.#arm(STEP_MS);
  };

  #end(reason: 'unanswered' | 'idle'): void {
    this.stop();
    this.#options.onEnd(reason);
  }
}
