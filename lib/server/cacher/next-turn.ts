import type { Runtime, Timer } from '../../kernel/runtime.ts';

/** Callbacks run in one task; the rest get the next one, so that input and timers wait a few milliseconds at most. */
const MOST_AT_ONCE = 250;
/** Longest rest, milliseconds. */
const LONGEST_REST_MS = 25;

/**
 * Runs all that was asked for during one turn of the event loop together, in the order it was asked for, when the turn is over:
 * what many events of one turn would cause over and over happens once. After a run it rests for as long as the run took, so
 * that no more than half of the time goes into it; what is asked for meanwhile is gathered.
 */
export class NextTurn {
  readonly #runtime: Runtime;
  readonly #callbacks: (() => void)[] = [];
  #busy = false;
  #restsUntilMs = 0;
  #timer: Timer | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** @param callback must not throw */
  run(callback: () => void): void {
    this.#callbacks.push(callback);
    if (!this.#busy) this.#prepare();
  }

  /** Runs what was asked for at once if it would have to wait for a timer; none is left then. */
  flush(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#runSome(this.#callbacks.length, this.#runtime.monotonicMs());
  }

  #prepare(): void {
    this.#busy = true;
    const runtime = this.#runtime;
    const restMs = this.#restsUntilMs - runtime.monotonicMs();
    const begin = (): void => {
      this.#timer = undefined;
      this.#runSome(this.#callbacks.length, runtime.monotonicMs());
    };
    if (restMs > 0) this.#timer = runtime.setTimer(restMs, begin);
    else runtime.queueTask(begin);
  }

  #runSome(count: number, startedAtMs: number): void {
    const left = Math.max(0, count - MOST_AT_ONCE);
    for (const callback of this.#callbacks.splice(0, count - left)) callback();
    // What the callbacks have set off is over by the time of the next task.
    this.#runtime.queueTask(() => {
      if (left > 0) this.#runSome(left, startedAtMs);
      else this.#rest(startedAtMs);
    });
  }

  #rest(startedAtMs: number): void {
    const nowMs = this.#runtime.monotonicMs();
    this.#restsUntilMs = nowMs + Math.min(nowMs - startedAtMs, LONGEST_REST_MS);
    this.#busy = false;
    if (this.#callbacks.length > 0) this.#prepare();
  }
}
