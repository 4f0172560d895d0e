import { Latch } from '../kernel/time/latch.ts';
import { onAbort } from '../kernel/time/abort.ts';
import type {
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  Lease,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../server/mvcc/contract/key-value-store.ts';

/**
 * A key-value store whose watches are late, for a second API server that lags behind the first.
 *
 * A server over it answers as kube-apiserver does whose watch cache lags: what it serves from its caches is old, i.e. its watches and
 * lists with resource version 0, the first list of an informer that uses no streaming lists. Writes, reads of one object and lists of
 * the newest state go to the store.
 *
 * Guarantees: while it holds, no watch brings an event or progress; afterwards they bring all of them, in their order. At most one batch
 * of each watch waits here, the rest in the store behind it.
 *
 * A server fills the cache of a resource at its first request. One that should lag has to be asked for the resource before `hold`.
 *
 * @example
 * await using store = new EmbeddedKeyValueStore({ runtime });
 * const lagging = new LaggingKeyValueStore(store);
 * await using server = new ApiServer({ runtime, keyValueStore: store });
 * await using second = new ApiServer({ runtime, keyValueStore: lagging });
 * lagging.hold();
 */
export class LaggingKeyValueStore implements KeyValueStore, AsyncDisposable {
  readonly #store: KeyValueStore;
  /** Opens with `release`; undefined: watches pass. */
  #held: Latch | undefined;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  get supportsProgress(): boolean {
    return this.#store.supportsProgress;
  }

  /** Whether watches are held. */
  get holding(): boolean {
    return this.#held !== undefined;
  }

  /** From now on, watches bring nothing. May be called again. */
  hold(): void {
    this.#held ??= new Latch('the release of a lagging store');
  }

  /** Lets watches bring what they missed, and go on. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.open();
  }

  range(request: RangeRequest): Promise<RangeResponse> {
    return this.#store.range(request);
  }

  txn(request: TxnRequest): Promise<TxnResponse> {
    return this.#store.txn(request);
  }

  async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    const watch = await this.#store.watch(request);
    return new LaggingWatch(watch, request.signal, () => this.#held);
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision);
  }

  leaseGrant(ttlSeconds: number): Promise<Lease> {
    return this.#store.leaseGrant(ttlSeconds);
  }

  leaseRevoke(leaseId: bigint): Promise<void> {
    return this.#store.leaseRevoke(leaseId);
  }

  status(): Promise<KeyValueStatus> {
    return this.#store.status();
  }

  /** Ends the lag, and closes the store behind it. */
  async close(): Promise<void> {
    this.release();
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class LaggingWatch implements KeyValueWatch {
  readonly #watch: KeyValueWatch;
  readonly #held: () => Latch | undefined;
  readonly #ended = new Latch('the end of a watch');
  readonly #release: () => void;

  constructor(
    watch: KeyValueWatch,
    signal: AbortSignal | undefined,
    held: () => Latch | undefined,
  ) {
    this.#watch = watch;
    this.#held = held;
    this.#release = onAbort(signal, () => {
      this.#ended.open();
    });
  }

  get startedAt(): Revision {
    return this.#watch.startedAt;
  }

  async requestProgress(): Promise<void> {
    await this.#watch.requestProgress();
  }

  destroy(): void {
    this.#release();
    this.#ended.open();
    this.#watch.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly KeyValueWatchMessage[], undefined> {
    for await (const batch of this.#watch) {
      for (let held = this.#held(); held !== undefined; held = this.#held()) {
        if (this.#ended.isOpen) return;
        await eitherOpen(held, this.#ended);
      }
      yield batch;
    }
  }
}

/** Resolves when one of two closed latches opens. */
async function eitherOpen(one: Latch, other: Latch): Promise<void> {
  const releases: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    releases.push(one.onOpen(resolve), other.onOpen(resolve));
  });
  for (const release of releases) release();
}
