import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { DelayHeap, type DelayedKey } from './delay-heap.ts';

/** Maximum number of keys passed on in one task, when many become ready at the same time. */
const LONGEST_SLICE = 1024;

/** Used in place of the timer's time while ready keys are being passed on. */
const UNDER_WAY = -Infinity;

/**
 * Keys that wait for their times, each at most once, with at most one timer. Keys that become ready at the same time are passed on in
 * slices, so that many of them do not block the event loop.
 */
export class DelayedKeys<K> {
  readonly #runtime: Runtime;
  readonly #onReady: (key: K, priority: number) => void;
  readonly #heap = new DelayHeap<K>();
  #timer: Timer | undefined;
  #timerAtMs = Infinity;

  constructor(runtime: Runtime, onReady: (key: K, priority: number) => void) {
    this.#runtime = runtime;
    this.#onReady = onReady;
  }

  get size(): number {
    return this.#heap.size;
  }

  has(key: K): boolean {
    return this.#heap.has(key);
  }

  /** If the key is present, its time only ever becomes earlier, and its priority higher. */
  put(key: K, readyAtMs: number, priority: number): void {
    this.#heap.put(key, readyAtMs, priority);
    this.#arm();
  }

  /** The earliest keys, in order. */
  earliest(limit: number): readonly DelayedKey<K>[] {
    return this.#heap.earliest(limit);
  }

  /** Drops and returns all keys. */
  clear(): readonly K[] {
    const dropped = this.#heap.clear();
    this.#arm();
    return dropped;
  }

  /** Passes all keys on now, the earliest first. */
  flush(): void {
    for (;;) {
      const next = this.#heap.takeReady(Infinity);
      if (next === undefined) break;
      this.#onReady(next.key, next.priority);
    }
    this.#arm();
  }

  #arm(): void {
    const { earliestMs } = this.#heap;
    if (earliestMs === this.#timerAtMs || this.#timerAtMs === UNDER_WAY) return;
    this.#timer?.cancel();
    this.#timerAtMs = earliestMs;
    this.#timer =
      earliestMs === Infinity
        ? undefined
        : this.#runtime.setTimer(earliestMs - this.#runtime.monotonicMs(), this.#passReady);
  }

  readonly #passReady = (): void => {
    this.#timerAtMs = UNDER_WAY;
    const nowMs = this.#runtime.monotonicMs();
    for (let left = LONGEST_SLICE; left > 0; left -= 1) {
      const ready = this.#heap.takeReady(nowMs);
      if (ready === undefined) {
        this.#timerAtMs = Infinity;
        this.#arm();
        return;
      }
      this.#onReady(ready.key, ready.priority);
    }
    this.#runtime.queueTask(this.#passReady);
  };
}
