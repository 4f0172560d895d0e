import { onAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';

/**
 * Which requests go first: `ahead` is for watches that are opened and for requests that are sent again. They take at most
 * every second turn while others wait, so that neither waits for all of the other.
 */
export type Lane = 'ahead' | 'regular';

export interface TurnQueueOptions {
  readonly runtime: Runtime;
  /** The most requests that wait; one more is refused with BUFFER_FULL. */
  readonly maxQueued: number;
  /** The reason of the wait, for the message of BUFFER_FULL. */
  readonly describe: () => string;
  /** Called when the number of waiting requests has changed. */
  readonly onChange?: (() => void) | undefined;
}

interface Waiter {
  readonly go: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Rounding may leave a token that is due a little short of 1. */
const WHOLE = 1 - 1e-9;

/**
 * Requests that wait for a turn: a token bucket whose rate can be changed while requests wait.
 *
 * Guarantees: within a lane, requests go in the order in which they came. One that aborts leaves the queue at once. There is
 * at most one timer, and none while the queue is empty. A request that need not wait costs no promise.
 */
export class TurnQueue {
  readonly #options: TurnQueueOptions;
  readonly #ahead = new Set<Waiter>();
  readonly #regular = new Set<Waiter>();
  #lastLane: Lane = 'regular';
  #rate = Infinity;
  #burst = 1;
  #tokens = 0;
  #filledAtMs = 0;
  #timer: Timer | undefined;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  /** The number of requests that wait. */
  get size(): number {
    return this.#ahead.size + this.#regular.size;
  }

  /**
   * Sets the rate, requests a second, `Infinity` for none, and the number of requests that may go at once after a pause. The
   * bucket is empty when a first rate is set, unless `full`.
   */
  limit(rate: number, burst: number, full: boolean = false): void {
    this.#fill();
    if (full) this.#tokens = burst;
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = rate === Infinity ? 0 : Math.min(this.#tokens, burst);
    this.#serve();
  }

  /**
   * Undefined if the request may go now; otherwise a promise that resolves when it may. It rejects with the reason of the
   * signal, and with that of `close`.
   * @throws {ListwatchError} code BUFFER_FULL when too many requests wait.
   */
  turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#rate === Infinity) return undefined;
    this.#fill();
    if (this.#tokens >= WHOLE && this.size === 0) {
      this.#tokens -= 1;
      return undefined;
    }
    const { maxQueued, describe } = this.#options;
    if (this.size >= maxQueued) {
      throw new ListwatchError('BUFFER_FULL', `${maxQueued} requests wait ${describe()}`);
    }
    return this.#join(lane === 'ahead' ? this.#ahead : this.#regular, signal);
  }

  /** All that wait fail with `reason`. */
  close(reason: unknown): void {
    for (const waiter of [...this.#ahead, ...this.#regular]) waiter.fail(reason);
  }

  #join(lane: Set<Waiter>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let release = (): void => {};
      const leave = (): void => {
        release();
        lane.delete(waiter);
        this.#options.onChange?.();
      };
      const waiter: Waiter = {
        go: () => {
          leave();
          resolve();
        },
        fail: (reason) => {
          leave();
          if (this.size === 0) this.#timer?.cancel();
          reject(reason);
        },
      };
      lane.add(waiter);
      this.#options.onChange?.();
      if (this.size === 1) this.#arm();
      release = onAbort(signal, () => {
        waiter.fail(signal?.reason);
      });
    });
  }

  #fill(): void {
    const nowMs = this.#options.runtime.monotonicMs();
    if (this.#rate !== Infinity) {
      const filled = this.#tokens + ((nowMs - this.#filledAtMs) * this.#rate) / 1000;
      this.#tokens = Math.min(this.#burst, filled);
    }
    this.#filledAtMs = nowMs;
  }

  /** Lets as many requests go as there are tokens. */
  #serve(): void {
    while (this.size > 0 && (this.#rate === Infinity || this.#tokens >= WHOLE)) {
      if (this.#rate !== Infinity) this.#tokens -= 1;
      this.#next()?.go();
    }
    this.#arm();
  }

  #next(): Waiter | undefined {
    const fromAhead =
      this.#regular.size === 0 || (this.#ahead.size > 0 && this.#lastLane === 'regular');
    this.#lastLane = fromAhead ? 'ahead' : 'regular';
    for (const waiter of fromAhead ? this.#ahead : this.#regular) return waiter;
    return undefined;
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.size === 0) return;
    const delayMs = ((1 - this.#tokens) * 1000) / this.#rate;
    this.#timer = this.#options.runtime.setTimer(delayMs, () => {
      this.#fill();
      this.#serve();
    });
  }
}
