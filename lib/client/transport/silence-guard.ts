import type { Runtime, Timer } from '../../kernel/runtime.ts';

export interface SilenceGuardOptions {
  readonly runtime: Runtime;
  /** Longest silence in milliseconds; `Infinity` for no limit. */
  readonly limitMs: number;
  /** Called once when the silence was too long. */
  readonly onSilent: () => void;
}

/**
 * Notices that something awaited does not come.
 *
 * It counts only while somebody waits: time the reader spends on what it got is not silence. One timer serves the whole
 * life of a stream, however many pieces come.
 */
export class SilenceGuard {
  readonly #options: SilenceGuardOptions;
  #waitingSinceMs: number | undefined;
  #timer: Timer | undefined;
  #stopped: boolean;

  constructor(options: SilenceGuardOptions) {
    this.#options = options;
    this.#stopped = options.limitMs === Infinity;
  }

  /** From now on something is expected. */
  expect(): void {
    if (this.#stopped) return;
    this.#waitingSinceMs = this.#options.runtime.monotonicMs();
    if (this.#timer === undefined) this.#arm(this.#options.limitMs);
  }

  /** It came. */
  pause(): void {
    this.#waitingSinceMs = undefined;
  }

  /** Ends the guard for good. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = this.#options.runtime.setTimer(delayMs, () => {
      this.#check();
    });
  }

  #check(): void {
    const { runtime, limitMs, onSilent } = this.#options;
    this.#timer = undefined;
    // Nobody waits: the next expect() arms the timer again.
    if (this.#waitingSinceMs === undefined) return;
    const leftMs = this.#waitingSinceMs + limitMs - runtime.monotonicMs();
    if (leftMs > 0) {
      this.#arm(leftMs);
      return;
    }
    this.stop();
    onSilent();
  }
}
