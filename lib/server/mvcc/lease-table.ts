import { ListwatchError } from '../../kernel/failure/errors.ts';
import { randomInteger } from '../../kernel/time/random.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { KeyValue, Lease } from './contract/key-value-store.ts';
import type { RevisionEvents } from './revision-log.ts';

/** etcd's MaxLeaseTTL. */
const LONGEST_TTL_SECONDS = 9_000_000_000;

/**
 * A time to live in whole seconds, as etcd counts it. It is rounded up, so that no lease ends early.
 * @throws {ListwatchError} INVALID_OPTION if it is not a number, or over etcd's limit.
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

/** The state of a lease at one moment, without its keys. */
export interface LeaseRecord {
  readonly id: bigint;
  /** The granted time to live. */
  readonly ttlSeconds: number;
  readonly remainingMs: number;
}

export interface LeaseTableOptions {
  readonly runtime: Runtime;
  /** Minimum time to live; shorter requests are raised to it. */
  readonly minTtlSeconds: number;
  /** Called with the keys of an expired lease, in no particular order. */
  readonly onExpire: (keys: readonly string[]) => void;
}

/** The running leases, and the keys attached to each. */
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

  /** Restores a lease with the time that it had left; its keys are added with `attach`. */
  restore({ id, ttlSeconds, remainingMs }: LeaseRecord): void {
    this.#run(id, ttlSeconds, remainingMs);
  }

  /** Attaches a key to its lease, if it has one. */
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

  /** Detaches and attaches keys according to the events of a committed revision. */
  apply(events: RevisionEvents): void {
    for (const { event } of events) {
      const { kv, previous } = event;
      if (previous !== undefined && previous.lease !== kv.lease) {
        this.#leases.get(previous.lease)?.keys.delete(kv.key);
      }
      if (kv.lease !== 0n) this.attach(kv);
    }
  }

  destroy(): void {
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
   * The first id is a random number, later ones count up from it. After the store was loaded from an older snapshot, a client may
   * still have an id from before; that id must not belong to another lease now.
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
