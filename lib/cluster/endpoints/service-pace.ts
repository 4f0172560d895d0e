import type { Runtime } from '../../kernel/time/runtime.ts';

/** Pods of a service for each millisecond between two computations of it. */
const PODS_PER_MS = 10;

/**
 * The time until a service is computed again, by the number of its pods: 10,000 pods that become ready one after the other are looked at once
 * a second.
 *
 * Memory: an entry for each service that had many pods.
 */
export class ServicePace {
  readonly #runtime: Runtime;
  readonly #least: number;
  readonly #last = new Map<string, number>();

  /** Services with fewer pods than the interval of the queue allows are not slowed down. */
  constructor(runtime: Runtime, intervalMs: number) {
    this.#runtime = runtime;
    this.#least = intervalMs * PODS_PER_MS;
  }

  /** Milliseconds; 0: now. */
  waitMs(key: string): number {
    const nextMs = this.#last.get(key);
    return nextMs === undefined ? 0 : Math.max(0, nextMs - this.#runtime.monotonicMs());
  }

  computed(key: string, pods: number): void {
    if (pods <= this.#least) this.#last.delete(key);
    else this.#last.set(key, this.#runtime.monotonicMs() + pods / PODS_PER_MS);
  }

  forget(key: string): void {
    this.#last.delete(key);
  }
}
