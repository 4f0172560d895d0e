import type { Runtime, Timer } from './runtime.ts';

/** Calls a function once when its time is over. Time during a pause does not count. */
export class PausableDeadline {
  readonly #runtime: Runtime;
  readonly #onPassed: () => void;
  #leftMs: number;
  #runningSinceMs = 0;
  #pauses = 0;
  #timer: Timer | undefined;
  #cancelled = false;

  constructor(runtime: Runtime, timeoutMs: number, onPassed: () => void) {
    this.#runtime = runtime;
    this.#leftMs = timeoutMs;
    this.#onPassed = onPassed;
    this.#run();
  }

  /** Pauses until `waiting` settles. */
  pauseWhile(waiting: Promise<unknown>): void {
    this.#pauses += 1;
    this.#timer?.cancel();
    if (this.#pauses === 1) this.#leftMs -= this.#runtime.monotonicMs() - this.#runningSinceMs;
    const resume = (): void => {
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#cancelled) this.#run();
    };
    waiting.then(resume, resume);
  }

  /** Cancels the call; it has no effect after the call. */
  cancel(): void {
    this.#cancelled = true;
    this.#timer?.cancel();
  }

  #run(): void {
    this.#runningSinceMs = this.#runtime.monotonicMs();
    this.#timer = this.#runtime.setTimer(this.#leftMs, () => {
      this.#cancelled = true;
      this.#onPassed();
    });
  }
}
