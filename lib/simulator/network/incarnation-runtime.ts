import type { Runtime, Timer, TimerOptions } from '../../kernel/time/runtime.ts';
import { noteRuntimeTimer } from '../ambient/ambient-run.ts';
import { inScope, type AmbientScope } from '../ambient/ambient-scope.ts';

/**
 * The runtime of one incarnation of a process: what a crash cuts off. A stopped process runs nothing until it is continued; a dead one
 * never runs anything again, so what it awaits never settles.
 */
export class IncarnationRuntime implements AmbientScope {
  readonly name: string;
  readonly onPart: ((part: object) => void) | undefined;
  /** Ends the process, which has asked for it. */
  exit: ((reason: string) => void) | undefined;
  /** It has ended because it was asked to. */
  isStopped: boolean = false;
  readonly #world: Runtime;
  readonly #skew: { ms: number };
  #state: 'runs' | 'stopped' | 'dead' = 'runs';
  #waiting: (() => void)[] = [];
  /** Ends in place of later wake-ups, by the number of wake-ups before them. */
  #ends: { left: number; readonly end: () => void }[] = [];

  /** `skew`: of the clock of the process, shared by its incarnations. */
  constructor(world: Runtime, skew: { ms: number }, name: string, onPart?: (part: object) => void) {
    this.name = name;
    this.onPart = onPart;
    this.#world = world;
    this.#skew = skew;
  }

  get world(): Runtime {
    return this.#world;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  wallMs(): number {
    return this.#world.wallMs() + this.#skew.ms;
  }

  monotonicMs(): number {
    return this.#world.monotonicMs();
  }

  random(): number {
    return this.#world.random();
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    let isCancelled = false;
    const ends = noteRuntimeTimer(this, options?.background === true);
    const fire = (): void => {
      ends?.();
      if (!isCancelled) callback();
    };
    const timer = this.#world.setTimer(delayMs, () => this.deliver(fire), options);
    return {
      cancel: () => {
        isCancelled = true;
        ends?.();
        timer.cancel();
      },
    };
  }

  queueTask(task: () => void): void {
    this.#world.queueTask(() => this.deliver(task));
  }

  /** Runs something in the process: now, when it is continued, or never. */
  deliver(task: () => void): void {
    if (this.#state === 'runs') inScope(this, () => this.#wake(task));
    else if (this.#state === 'stopped') this.#waiting.push(task);
  }

  /** Calls `end` in place of the n-th task from now on, counted from 1. */
  atWakeUp(count: number, end: () => void): void {
    this.#ends.push({ left: count, end });
  }

  #wake(task: () => void): void {
    if (this.#ends.length > 0) {
      for (const one of this.#ends) one.left -= 1;
      const due = this.#ends.find(({ left }) => left <= 0);
      if (due !== undefined) {
        this.#ends = this.#ends.filter((one) => one !== due);
        due.end();
        return;
      }
    }
    task();
  }

  /** Stops the process for a time. */
  stop(forMs: number): void {
    if (this.#state !== 'runs') return;
    this.#state = 'stopped';
    this.#world.setTimer(forMs, () => {
      if (this.#state === 'dead') return;
      this.#state = 'runs';
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const task of waiting) this.#world.queueTask(() => this.deliver(task));
    });
  }

  kill(): void {
    this.#state = 'dead';
    this.#waiting = [];
    this.#ends = [];
  }
}
