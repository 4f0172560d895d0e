import type { Runtime, Timer } from './runtime.ts';

export interface IdleLimitOptions {
  /** Longest wait, milliseconds; `Infinity` for no limit. */
  readonly limitMs: number;
  /** Called once, when a wait has reached the limit; the limit is gone then. */
  readonly onIdle: (waitedMs: number) => void;
  /** See `TimerOptions.background`. @defaultValue false */
  readonly background?: boolean | undefined;
}

/** A limit of a watchdog. */
export interface IdleLimit {
  /** It will not call any more; harmless when it has. */
  cancel(): void;
}

interface Limit extends IdleLimitOptions {
  timer: Timer | undefined;
}

/**
 * Notices that something awaited does not come, with one limit or several.
 *
 * It counts only while something is expected: time that a reader spends on what it got is not silence. Each limit has one timer,
 * which looks how long the present wait has lasted, however many there are; none while nothing is expected for so long.
 */
export class IdleWatchdog {
  readonly #runtime: Runtime;
  readonly #limits = new Set<Limit>();
  #waitingSinceMs: number | undefined;
  /** Some limit has no timer, because nothing was expected when it looked. */
  #asleep = false;
  #stopped = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Since when something is expected, monotonic milliseconds; undefined while nothing is. */
  get waitingSinceMs(): number | undefined {
    return this.#waitingSinceMs;
  }

  /** From now on something is expected. */
  expect(): void {
    this.#waitingSinceMs = this.#runtime.monotonicMs();
    if (!this.#asleep) return;
    this.#asleep = false;
    for (const limit of this.#limits) {
      if (limit.timer === undefined) this.#arm(limit, limit.limitMs);
    }
  }

  /** It came. */
  pause(): void {
    this.#waitingSinceMs = undefined;
  }

  /** Adds a limit, which looks for the first time when its time has passed from now. */
  limit(options: IdleLimitOptions): IdleLimit {
    const limit: Limit = { ...options, timer: undefined };
    if (options.limitMs !== Infinity && !this.#stopped) {
      this.#limits.add(limit);
      if (this.#waitingSinceMs === undefined) this.#asleep = true;
      else this.#arm(limit, options.limitMs);
    }
    return {
      cancel: () => {
        this.#limits.delete(limit);
        limit.timer?.cancel();
      },
    };
  }

  /** Ends all limits for good. */
  stop(): void {
    this.#stopped = true;
    for (const { timer } of this.#limits) timer?.cancel();
    this.#limits.clear();
  }

  #arm(limit: Limit, delayMs: number): void {
    const { background } = limit;
    limit.timer = this.#runtime.setTimer(delayMs, () => this.#look(limit), { background });
  }

  #look(limit: Limit): void {
    limit.timer = undefined;
    if (this.#waitingSinceMs === undefined) {
      this.#asleep = true;
      return;
    }
    const waitedMs = this.#runtime.monotonicMs() - this.#waitingSinceMs;
    if (waitedMs < limit.limitMs) {
      this.#arm(limit, limit.limitMs - waitedMs);
      return;
    }
    this.#limits.delete(limit);
    limit.onIdle(waitedMs);
  }
}
