import { ListwatchError } from '../../kernel/errors.ts';
import { randomInteger } from '../../kernel/random.ts';
import type { Runtime, Timer } from '../../kernel/runtime.ts';
import type { KeyValue, Lease } from './key-value-store.ts';
import type { RevisionEvents } from './revision-log.ts';

/** etcd's MaxLeaseTTL. */
const LONGEST_TTL_SECONDS = 9_000_000_000;

/**
 * A time to live in the whole seconds etcd counts in, rounded up, so that no lease ends early.
 * @throws {ListwatchError} INVALID_OPTION for a time that is no number or over etcd's limit.
 */
export function wholeTtlSeconds(ttlSeconds: number): number {
  if (ttlSeconds <= LONGEST_TTL_SECONDS) return Math.max(0, Math.ceil(ttlSeconds));
  throw new ListwatchError(
    'INVALID_OPTION',
    `a lease lasts at most ${LONGEST_TTL_SECONDS} seconds, not ${ttlSeconds}`,
  );
}

interface LeaseState {
  readonly ttlSeconds: number;
  readonly endsAtMs: number;
  readonly keys: Set<string>;
  readonly timer: Timer;
}

/** A lease at some moment, without its keys. */
export interface LeaseRecord {
  readonly id: bigint;
  /** As granted. */
  readonly ttlSeconds: number;
  readonly remainingMs: number;
}

export interface LeaseTableOptions {
  readonly runtime: Runtime;
  /** Shorter leases are lengthened to this. */
  readonly minTtlSeconds: number;
  /** Called with the keys of a lease that ran out, in no particular order. */
  readonly onExpire: (keys: readonly string[]) => void;
}

/** Which leases run, and which keys hang on each. */
export class LeaseTable {
  readonly #options: LeaseTableOptions;
  readonly #leases = new Map<bigint, LeaseState>();
  #lastId = 0n;

  constructor(options: LeaseTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#leases.size;
  }

  /** @throws {ListwatchError} INVALID_OPTION; see `wholeTtlSeconds`. */
  grant(ttlSeconds: number): Lease {
    const granted = Math.max(this.#options.minTtlSeconds, wholeTtlSeconds(ttlSeconds));
    const id = this.#freshId();
    this.#run(id, granted, granted * 1000);
    return { id, ttlSeconds: granted };
  }

  /** All leases as they are now. */
  records(): LeaseRecord[] {
    const nowMs = this.#options.runtime.monotonicMs();
    return Array.from(this.#leases, ([id, { ttlSeconds, endsAtMs }]) => {
      return { id, ttlSeconds, remainingMs: Math.max(0, endsAtMs - nowMs) };
    });
  }

  /** Lets a lease go on with the time it had left; its keys come through `attach`. */
  restore({ id, ttlSeconds, remainingMs }: LeaseRecord): void {
    this.#run(id, ttlSeconds, remainingMs);
  }

  /** Hangs a key on its lease, where it has one. */
  attach({ key, lease }: KeyValue): void {
    this.#leases.get(lease)?.keys.add(key);
  }

  /** Ends a lease and returns its keys. @throws {ListwatchError} LEASE_NOT_FOUND. */
  take(id: bigint): readonly string[] {
    const lease = this.#find(id);
    lease.timer.cancel();
    this.#leases.delete(id);
    return [...lease.keys];
  }

  /** @throws {ListwatchError} LEASE_NOT_FOUND. */
  check(id: bigint): void {
    this.#find(id);
  }

  /** Moves the keys of a committed revision from lease to lease. */
  apply(events: RevisionEvents): void {
    for (const { event } of events) {
      const { kv, previous } = event;
      if (previous !== undefined && previous.lease !== kv.lease) {
        this.#leases.get(previous.lease)?.keys.delete(kv.key);
      }
      if (kv.lease !== 0n) this.attach(kv);
    }
  }

  close(): void {
    for (const { timer } of this.#leases.values()) timer.cancel();
    this.#leases.clear();
  }

  #run(id: bigint, ttlSeconds: number, remainingMs: number): void {
    const { runtime, onExpire } = this.#options;
    const timer = runtime.setTimer(
      remainingMs,
      () => {
        onExpire(this.take(id));
      },
      { background: true },
    );
    const endsAtMs = runtime.monotonicMs() + remainingMs;
    this.#leases.set(id, { ttlSeconds, endsAtMs, keys: new Set(), timer });
  }

  /**
   * Somewhere in 62 bits and counted up from there: a client that still has an id from before the store was loaded from an
   * older snapshot must not meet another lease under it.
   */
  #freshId(): bigint {
    if (this.#lastId === 0n) {
      const { runtime } = this.#options;
      this.#lastId = BigInt(randomInteger(runtime, 1, 2 ** 30)) << 32n;
    }
    do this.#lastId += 1n;
    while (this.#leases.has(this.#lastId));
    return this.#lastId;
  }

  #find(id: bigint): LeaseState {
    const lease = this.#leases.get(id);
    if (lease === undefined) {
      throw new ListwatchError('LEASE_NOT_FOUND', `lease ${id} does not exist or has expired`);
    }
    return lease;
  }
}
