import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';

/** Pods of a service for each millisecond between two computations of it. */
const PODS_PER_MS = 5;

/**
 * The time until a service is computed again, by the number of its pods: one with 10,000 pods that become ready one after the other is
 * computed every two seconds.
 *
 * Memory: an entry for each service that has many pods.
 */
export class ServicePace {
  readonly #runtime: Runtime;
  readonly #least: number;
  readonly #nextMs = new Map<string, number>();
  readonly #putOff = new Set<string>();

  /** Services with fewer pods than the interval of the queue allows are not slowed down. */
  constructor(runtime: Runtime, intervalMs: number) {
    this.#runtime = runtime;
    this.#least = intervalMs * PODS_PER_MS;
  }

  /** Milliseconds until the service may be computed, which is put off until then; 0: now. */
  waitMs(key: string): number {
    const nextMs = this.#nextMs.get(key);
    const waitMs = nextMs === undefined ? 0 : Math.max(0, nextMs - this.#runtime.monotonicMs());
    if (waitMs > 0) this.#putOff.add(key);
    else this.#putOff.delete(key);
    return waitMs;
  }

  computed(key: string, pods: number): void {
    if (pods <= this.#least) this.#nextMs.delete(key);
    else this.#nextMs.set(key, this.#runtime.monotonicMs() + pods / PODS_PER_MS);
  }

  forget(key: string): void {
    this.#nextMs.delete(key);
    this.#putOff.delete(key);
  }

  /** The part, whose pending work includes the services that are put off. */
  part(part: ClusterPart): ClusterPart {
    return {
      start: () => part.start(),
      pending: () => part.pending?.() ?? this.#pending(),
      [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
    };
  }

  #pending(): string | undefined {
    const { size } = this.#putOff;
    return size === 0 ? undefined : `${size} services with many pods`;
  }
}
