/**
 * Everything that is not a pure function of its inputs: time, random numbers, and when a task runs.
 *
 * Every constructor that needs one of them takes a `Runtime`; no code in the package reads the ambient clock or random
 * source. With a `VirtualRuntime`, a run of a whole cluster with its controllers is a function of its seed.
 *
 * Guarantees:
 * - `monotonicMs` never goes back; `wallMs` may (the clock can be set).
 * - A timer fires at most once, never before its delay, and never after `cancel()`.
 * - `queueTask` tasks run after the current task and all its promise continuations, in the order they were queued.
 */
export interface Runtime {
  /** Milliseconds since 1970-01-01T00:00:00Z. For timestamps that people read; never for measuring. */
  wallMs(): number;
  /** Milliseconds since a fixed, unspecified instant, fractional. For measuring and for deadlines. */
  monotonicMs(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Runs `callback` once after `delayMs` (values below 0 count as 0). */
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer;
  /** Runs `task` in a task of its own; pending input, output and timers run first. */
  queueTask(task: () => void): void;
  /** Called with what is made on this runtime, such as an informer or a queue: for tools that look into a program. @defaultValue none */
  readonly onPart?: ((part: object) => void) | undefined;
}

export interface TimerOptions {
  /**
   * A background timer does not keep a process alive by itself.
   * @defaultValue false
   */
  readonly background?: boolean | undefined;
}

/** A pending callback. */
export interface Timer {
  /** Stops the callback from running; harmless when it already ran or was cancelled. */
  cancel(): void;
}
