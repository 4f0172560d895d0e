import type { Runtime, Timer, TimerOptions } from '../../lib/kernel/time/runtime.ts';

export interface ReplicaClock {
  /** Added to the wall clock. */
  readonly skewMs: number;
  /** Seconds of its clocks in a second of the world. */
  readonly speed: number;
}

const ROUNDING_MS = 1e-6;

/**
 * The runtime of one process in a world of several: its clocks differ from those of others, and it can be stopped. A stopped process runs
 * nothing: no timer, no task, and no answer of the network. Its clocks go on. When it is continued, all that waits runs in any order, as the
 * system may report it.
 */
export class ReplicaRuntime implements Runtime {
  readonly #world: Runtime;
  readonly #speed: number;
  #skewMs: number;
  #stopped = false;
  #dead = false;
  #waiting: (() => void)[] = [];

  constructor(world: Runtime, { skewMs, speed }: ReplicaClock) {
    this.#world = world;
    this.#skewMs = skewMs;
    this.#speed = speed;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  wallMs(): number {
    return this.#world.wallMs() + this.#skewMs;
  }

  monotonicMs(): number {
    return this.#world.monotonicMs() * this.#speed;
  }

  random(): number {
    return this.#world.random();
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    let cancelled = false;
    const run = (): void => {
      this.run(() => {
        if (!cancelled) callback();
      });
    };
    // A timer must not fire early, by the rounding of the quotient.
    const worldMs = delayMs > 0 ? delayMs / this.#speed + ROUNDING_MS : 0;
    const timer = this.#world.setTimer(worldMs, run, options);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  queueTask(task: () => void): void {
    this.#world.queueTask(() => this.run(task));
  }

  /** Runs something in this process: now, or when it is continued. */
  run(task: () => void): void {
    if (this.#dead) return;
    if (this.#stopped) this.#waiting.push(task);
    else task();
  }

  /** SIGSTOP, and SIGCONT after this time. */
  stop(forMs: number): void {
    if (this.#stopped || this.#dead) return;
    this.#stopped = true;
    this.#world.setTimer(forMs, () => this.#continue());
  }

  /** SIGKILL. */
  kill(): void {
    this.#dead = true;
    this.#waiting = [];
  }

  /** Sets the wall clock. */
  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  #continue(): void {
    if (this.#dead) return;
    this.#stopped = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    while (waiting.length > 0) {
      const index = Math.floor(this.#world.random() * waiting.length);
      const [task] = waiting.splice(index, 1);
      if (task !== undefined) this.#world.queueTask(() => this.run(task));
    }
  }
}
