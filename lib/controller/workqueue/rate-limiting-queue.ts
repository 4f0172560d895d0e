import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { DELAYING_QUEUE, DelayingQueue, type DelayingQueueOptions } from './delaying-queue.ts';
import { defaultRateLimiter } from './limits/rate-limiter-presets.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { QueueInspection } from './queue-inspection.ts';
import type { AddOptions } from './work-queue-options.ts';

export interface RateLimitingQueueOptions<K = string> extends DelayingQueueOptions {
  /** Determines the delay of a failed key. @defaultValue `defaultRateLimiter`: 5 ms doubling to 1000 s, no common limit for all keys */
  readonly rateLimiter?: RateLimiter<K> | undefined;
}

const RATE_LIMITING_QUEUE = optionsOf<RateLimitingQueueOptions>()('RateLimitingQueue', {
  ...DELAYING_QUEUE.rules,
  rateLimiter: is.methods('a rate limiter', 'nextDelayMs', 'forget', 'numRequeues'),
});

export interface RetryOptions extends AddOptions {
  /** Why the key failed, for `inspect`; its first 300 characters are kept. */
  readonly reason?: string | undefined;
}

/**
 * The queue of a controller: event handlers `add` keys, and a worker that failed adds its key again with a growing delay.
 *
 * Memory, beyond that of `DelayingQueue`: the limiter's state for each key with failures that were not forgotten, and the last failures
 * of 1,000 keys.
 * @see client-go util/workqueue/rate_limiting_queue.go @ 32ce75a7
 */
export class RateLimitingQueue<K = string> extends DelayingQueue<K> {
  readonly #runtime: Runtime;
  readonly #rateLimiter: RateLimiter<K>;
  readonly #failing = new FailingKeys<K>();

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: RateLimitingQueueOptions<K> = {}) {
    const { rateLimiter, ...rest } = RATE_LIMITING_QUEUE.read(options);
    super(rest);
    this.#runtime = rest.runtime;
    this.#rateLimiter = rateLimiter ?? defaultRateLimiter<K>(rest.runtime);
  }

  /**
   * Adds the key after the delay that the rate limiter returns. For retries; event handlers use `add`.
   * Returns the delay in milliseconds, or undefined when the queue is closing and the key was ignored.
   */
  addRateLimited(key: K, { priority, reason }: RetryOptions = {}): number | undefined {
    if (this.closing) return undefined;
    const delayMs = this.#rateLimiter.nextDelayMs(key);
    this.addAfter(key, delayMs, { priority });
    this.#failing.add(key, reason, this.#runtime.monotonicMs());
    return delayMs;
  }

  /** Forgets the failures of the key. A scheduled add is not cancelled. */
  forget(key: K): void {
    this.#rateLimiter.forget(key);
    this.#failing.forget(key);
  }

  /** Failures of the key since `forget` was last called. */
  numRequeues(key: K): number {
    return this.#rateLimiter.numRequeues(key);
  }

  /** @internal */
  protected override heldBack(
    limit: number,
    nowMs: number,
  ): Pick<QueueInspection<K>, 'delayed' | 'failing'> {
    const { delayed } = super.heldBack(limit, nowMs);
    const keys = delayed.keys.map((one) =>
      one.why === 'delay' && this.#failing.has(one.key) ? { ...one, why: 'retry' as const } : one,
    );
    const failing = this.#failing.latest(limit).map(([key, { reason, atMs }]) => ({
      key,
      failures: this.numRequeues(key),
      reason,
      failedMs: nowMs - atMs,
    }));
    return {
      delayed: { count: delayed.count, keys },
      failing: { count: this.#failing.size, keys: failing },
    };
  }
}

/** Maximum number of keys that are remembered; the one whose failure is the oldest is forgotten first. */
const MOST_KEYS = 1000;
/** A message of a failure may be long. */
const LONGEST_REASON = 300;

interface Failure {
  readonly reason: string | undefined;
  readonly atMs: number;
}

/** The keys that failed last, with their reasons. */
class FailingKeys<K> {
  /** Made for the first failure; most controllers have none. */
  #failures: Map<K, Failure> | undefined;

  get size(): number {
    return this.#failures?.size ?? 0;
  }

  has(key: K): boolean {
    return this.#failures?.has(key) === true;
  }

  add(key: K, reason: string | undefined, atMs: number): void {
    const failures = (this.#failures ??= new Map());
    failures.delete(key);
    failures.set(key, { reason: reason?.slice(0, LONGEST_REASON), atMs });
    if (failures.size <= MOST_KEYS) return;
    for (const oldest of failures.keys()) {
      failures.delete(oldest);
      return;
    }
  }

  forget(key: K): void {
    this.#failures?.delete(key);
  }

  /** The latest failures first. */
  latest(limit: number): readonly (readonly [K, Failure])[] {
    return [...(this.#failures ?? [])].toReversed().slice(0, limit);
  }
}
