import type { Runtime, Timer, TimerOptions } from '../../kernel/time/runtime.ts';

/**
 * The runtime of one incarnation of a process: what a crash cuts off. A stopped process runs nothing until it is continued; a dead one
 * never runs anything again, so what it awaits never settles.
 */
export class IncarnationRuntime implements Runtime {
  readonly #world: Runtime;
  readonly #skew: { ms: number };
  #state: 'runs' | 'stopped' | 'dead' = 'runs';
  #waiting: (() => void)[] = [];

  /** `skew`: of the clock of the process, shared by its incarnations. */
  constructor(world: Runtime, skew: { ms: number }) {
    this.#world = world;
    this.#skew = skew;
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
    const fire = (): void => {
      if (!isCancelled) callback();
    };
    const timer = this.#world.setTimer(delayMs, () => this.deliver(fire), options);
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  queueTask(task: () => void): void {
    this.#world.queueTask(() => this.deliver(task));
  }

  /** Runs something in the process: now, when it is continued, or never. */
  deliver(task: () => void): void {
    if (this.#state === 'runs') task();
    else if (this.#state === 'stopped') this.#waiting.push(task);
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
  }
}
