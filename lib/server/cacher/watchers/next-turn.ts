import { deferred, type Deferred } from '../../../kernel/time/latch.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';

/** Maximum number of callbacks in one task; the rest run in the next one, so that input and timers wait a few milliseconds at most. */
const MOST_AT_ONCE = 250;
/** Longest pause after a run, milliseconds. */
const LONGEST_REST_MS = 25;
/** Longest pause while events arrive, as a multiple of the duration of the run. */
const LONGEST_REST_SHARE = 3;
/** Number of runs without a pause after a pause without events. */
const RUNS_WITHOUT_REST = 7;

/**
 * Collects callbacks during one turn of the event loop and runs them together, in order, when the turn is over. Work that many
 * events of one turn would cause repeatedly is thus done once.
 *
 * After a run it pauses for as long as the run took, and longer while events arrive. Under load, one run therefore serves many
 * events and takes a quarter of the time. If no event arrives during a pause, because the writing code waits for its event
 * first, the next runs start without a pause. A caller of `delivered` ends the pause.
 */
export class NextTurn {
  readonly #runtime: Runtime;
  readonly #callbacks: (() => void)[] = [];
  #busy = false;
  #tookMs = 0;
  #restedAtMs = 0;
  #timer: Timer | undefined;
  /** Number of events since the last run began. */
  #events = 0;
  #eventsAtRest = 0;
  #runsWithoutRest = 0;
  /** Resolves after the next run. */
  #awaited: Deferred<void> | undefined;
  /** Resolves after the present run. */
  #running: Deferred<void> | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** @param callback must not throw */
  run(callback: () => void): void {
    this.#callbacks.push(callback);
    if (!this.#busy) this.#prepare();
  }

  /** Reports events for which callbacks will be requested. */
  notice(events: number): void {
    this.#events += events;
  }

  /** Runs the callbacks now if they would have to wait for a timer; no timer is left then. */
  flush(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#begin();
  }

  /** Runs the callbacks without a pause; resolves when they and their microtasks have run. Undefined if there are none. */
  delivered(): Promise<void> | undefined {
    if (!this.#busy) return undefined;
    this.#awaited ??= deferred<void>();
    const { promise } = this.#awaited;
    if (this.#timer !== undefined) {
      this.#timer.cancel();
      this.#timer = undefined;
      this.#runtime.queueTask(this.#begin);
    }
    return promise;
  }

  #prepare(): void {
    this.#busy = true;
    if (this.#awaited !== undefined) {
      this.#runtime.queueTask(this.#begin);
      return;
    }
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

  /** The remaining time of a pause that is `share` times as long as the last run. */
  #restMs(share: number): number {
    const longestMs = Math.min(share * this.#tookMs, LONGEST_REST_MS);
    return this.#restedAtMs + longestMs - this.#runtime.monotonicMs();
  }

  readonly #begin = (): void => {
    this.#timer = undefined;
    this.#events = 0;
    this.#running = this.#awaited;
    this.#awaited = undefined;
    this.#runSome(this.#callbacks.length, this.#runtime.monotonicMs());
  };

  #runSome(count: number, startedAtMs: number): void {
    const left = Math.max(0, count - MOST_AT_ONCE);
    for (const callback of this.#callbacks.splice(0, count - left)) callback();
    // All microtasks of the callbacks have run before the next task.
    this.#runtime.queueTask(() => {
      if (left > 0) this.#runSome(left, startedAtMs);
      else this.#rest(startedAtMs);
    });
  }

  #rest(startedAtMs: number): void {
    this.#restedAtMs = this.#runtime.monotonicMs();
    this.#tookMs = this.#restedAtMs - startedAtMs;
    this.#busy = false;
    this.#running?.resolve();
    this.#running = undefined;
    if (this.#callbacks.length > 0) {
      this.#prepare();
      return;
    }
    // Its callbacks were part of the run that has just ended.
    this.#awaited?.resolve();
    this.#awaited = undefined;
  }
}
