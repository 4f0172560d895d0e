import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KeyValueStore } from '../../mvcc/contract/key-value-store.ts';

/** kube-apiserver's --lease-reuse-duration-seconds and --lease-max-object-count. */
const LONGEST_REUSE_SECONDS = 60;
const MOST_KEYS = 1000;
/** The share of its time to live by which an object may live longer, so that leases can be shared. */
const REUSE_SHARE = 0.05;

interface Shared {
  readonly id: bigint;
  readonly endsAtMs: number;
  keys: number;
}

/**
 * Provides leases, each shared by many keys: a lease is reused for a twentieth of its time (at most a minute) and for at most
 * 1 000 keys. An object lives at least as long as requested, and at most that twentieth longer.
 * @see apiserver pkg/storage/etcd3/lease_manager.go @ 24a394e
 */
export class LeaseManager {
  readonly #store: KeyValueStore;
  readonly #runtime: Runtime;
  #shared: Shared | undefined;

  constructor(store: KeyValueStore, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** A lease for one key that lasts at least `ttlSeconds`; 0 for none. Two concurrent calls may each create a lease. */
  async leaseFor(ttlSeconds: number | undefined): Promise<bigint> {
    if (ttlSeconds === undefined || ttlSeconds <= 0) return 0n;
    const nowMs = this.#runtime.monotonicMs();
    const shared = this.#shared;
    if (shared !== undefined && shared.keys < MOST_KEYS) {
      const spareMs = shared.endsAtMs - nowMs - ttlSeconds * 1000;
      if (spareMs >= 0 && spareMs <= reuseSeconds(ttlSeconds) * 1000) {
        shared.keys += 1;
        return shared.id;
      }
    }
    const lease = await this.#store.leaseGrant(ttlSeconds + reuseSeconds(ttlSeconds));
    this.#shared = { id: lease.id, endsAtMs: nowMs + lease.ttlSeconds * 1000, keys: 1 };
    return lease.id;
  }
}

function reuseSeconds(ttlSeconds: number): number {
  return Math.min(LONGEST_REUSE_SECONDS, Math.floor(ttlSeconds * REUSE_SHARE));
}
