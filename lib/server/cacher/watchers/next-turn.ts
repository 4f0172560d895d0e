import type { Runtime, Timer } from '../../../kernel/runtime.ts';

/** Callbacks run in one task; the rest get the next one, so that input and timers wait a few milliseconds at most. */
const MOST_AT_ONCE = 250;
/** Longest rest, milliseconds. */
const LONGEST_REST_MS = 25;
/** As long as more comes in, a rest goes on for up to so many times as long as the run took. */
const LONGEST_REST_SHARE = 3;
/** Runs without a rest after a rest in which nothing came. */
const RUNS_WITHOUT_REST = 7;

/**
 * Runs all that was asked for during one turn of the event loop together, in the order it was asked for, when the turn is over:
 * what many events of one turn would cause over and over happens once.
 *
 * After a run it rests for as long as the run took, and on while events come in, so that under load a run serves many of them and
 * takes a quarter of the time; what is asked for meanwhile is gathered. Where nothing comes in while it rests, because the code that
 * writes waits for the event first, the next runs begin at once.
 */
export class NextTurn {
  readonly #runtime: Runtime;
  readonly #callbacks: (() => void)[] = [];
  #busy = false;
  #tookMs = 0;
  #restedAtMs = 0;
  #timer: Timer | undefined;
  /** Events since the last run began. */
  #events = 0;
  #eventsAtRest = 0;
  #runsWithoutRest = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** @param callback must not throw */
  run(callback: () => void): void {
    this.#callbacks.push(callback);
    if (!this.#busy) this.#prepare();
  }

  /** Events have come in, of which callbacks are going to tell. */
  notice(events: number): void {
    this.#events += events;
  }

  /** Runs what was asked for at once if it would have to wait for a timer; none is left then. */
  flush(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#begin();
  }

  #prepare(): void {
    this.#busy = true;
    if (this.#events > 1) this.#runsWithoutRest = 0;
    const restMs = this.#restMs(1);
    if (restMs > 0 && this.#runsWithoutRest === 0) {
      this.#eventsAtRest = this.#events;
      this.#timer = this.#runtime.setTimer(restMs, this.#goOnResting);
      return;
    }
    if (this.#runsWithoutRest > 0) this.#runsWithoutRest -= 1;
    this.#runtime.queueTask(this.#begin);
  }

  readonly #goOnResting = (): void => {
    const restMs = this.#restMs(LONGEST_REST_SHARE);
    if (this.#events === this.#eventsAtRest || restMs <= 0) {
      if (this.#events <= 1) this.#runsWithoutRest = RUNS_WITHOUT_REST;
      this.#begin();
      return;
    }
    this.#eventsAtRest = this.#events;
    this.#timer = this.#runtime.setTimer(Math.min(restMs, this.#tookMs), this.#goOnResting);
  };

  /** The remainder of a pause that is `share` times as long as the last run. */
  #restMs(share: number): number {
    const longestMs = Math.min(share * this.#tookMs, LONGEST_REST_MS);
    return this.#restedAtMs + longestMs - this.#runtime.monotonicMs();
  }

  readonly #begin = (): void => {
    this.#timer = undefined;
    this.#events = 0;
    this.#runSome(this.#callbacks.length, this.#runtime.monotonicMs());
  };

  #runSome(count: number, startedAtMs: number): void {
    const left = Math.max(0, count - MOST_AT_ONCE);
    for (const callback of this.#callbacks.splice(0, count - left)) callback();
    // The microtasks of the callbacks have run by the time of the next task.
    this.#runtime.queueTask(() => {
      if (left > 0) this.#runSome(left, startedAtMs);
      else this.#rest(startedAtMs);
    });
  }

  #rest(startedAtMs: number): void {
    this.#restedAtMs = this.#runtime.monotonicMs();
    this.#tookMs = this.#restedAtMs - startedAtMs;
    this.#busy = false;
    if (this.#callbacks.length > 0) this.#prepare();
  }
}
