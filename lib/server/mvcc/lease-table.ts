import { ListwatchError } from '../../kernel/errors.ts';
import type { Runtime, Timer } from '../../kernel/runtime.ts';
import type { Lease } from './key-value-store.ts';
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
  readonly keys: Set<string>;
  readonly timer: Timer;
}

export interface LeaseTableOptions {
  readonly runtime: Runtime;
  /** What shorter leases are lengthened to. */
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
    this.#lastId += 1n;
    const id = this.#lastId;
    const timer = this.#options.runtime.setTimer(
      granted * 1000,
      () => {
        this.#options.onExpire(this.take(id));
      },
      { background: true },
    );
    this.#leases.set(id, { keys: new Set(), timer });
    return { id, ttlSeconds: granted };
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
      if (kv.lease !== 0n) this.#leases.get(kv.lease)?.keys.add(kv.key);
    }
  }

  close(): void {
    for (const { timer } of this.#leases.values()) timer.cancel();
    this.#leases.clear();
  }

  #find(id: bigint): LeaseState {
    const lease = this.#leases.get(id);
    if (lease === undefined) {
      throw new ListwatchError('LEASE_NOT_FOUND', `lease ${id} does not exist or has expired`);
    }
    return lease;
  }
}
