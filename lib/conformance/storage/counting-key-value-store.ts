import type {
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  Lease,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../../server/mvcc/contract/key-value-store.ts';

/**
 * A wrapper around an engine that counts its reads.
 *
 * @experimental
 */
export class CountingKeyValueStore implements KeyValueStore, AsyncDisposable {
  /** Number of range requests so far. */
  ranges: number = 0;
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  get supportsProgress(): boolean {
    return this.#store.supportsProgress;
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    this.ranges += 1;
    return await this.#store.range(request);
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    return await this.#store.txn(request);
  }

  async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    return await this.#store.watch(request);
  }

  async compact(revision: Revision): Promise<void> {
    await this.#store.compact(revision);
  }

  async leaseGrant(ttlSeconds: number): Promise<Lease> {
    return await this.#store.leaseGrant(ttlSeconds);
  }

  async leaseRevoke(leaseId: bigint): Promise<void> {
    await this.#store.leaseRevoke(leaseId);
  }

  async status(): Promise<KeyValueStatus> {
    return await this.#store.status();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
