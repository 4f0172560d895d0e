import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type {
  KeyValueEvent,
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
} from './contract/key-value-store.ts';
import { HistoryKeeper } from './history-keeper.ts';
import { checkKey, checkWatchedKeys } from './contract/key-rules.ts';
import { LeaseTable, type LeaseRecord } from './lease-table.ts';
import { MultiVersionMap } from './multi-version-map.ts';
import { orderedForm } from './contract/ordered-form.ts';
import { readWhole, writeWhole } from './snapshot-file.ts';
import { readSnapshot } from './snapshot-reader.ts';
import { SnapshotWriter } from './snapshot-writer.ts';
import { runTxn, type TxnContext } from './transaction.ts';
import { WatchHub } from './watch-hub.ts';

export interface EmbeddedKeyValueStoreOptions {
  /** @defaultValue the real clock */
  readonly runtime?: Runtime | undefined;
  /**
   * The revision of the empty store. Earlier revisions count as compacted. After the loss of a store, a value above all its
   * revisions makes its watchers start over (etcdutl snapshot restore --bump-revision --mark-compacted). @defaultValue 1n
   */
  readonly firstRevision?: Revision | undefined;
  /**
   * Every this many milliseconds, history is compacted to the revision that was current one interval before. So it covers between
   * one and two intervals. 0: never by time. @defaultValue 300 000 (kube-apiserver --etcd-compaction-interval)
   */
  readonly compactionIntervalMs?: number | undefined;
  /** Maximum size of the history in bytes; beyond it the oldest revisions are compacted at once. @defaultValue 512 MiB */
  readonly maxHistoryBytes?: number | undefined;
  /** Maximum size of all values in one transaction, in bytes. @defaultValue 1 572 864 (etcd --max-request-bytes) */
  readonly maxValueBytes?: number | undefined;
  /**
   * Minimum time to live of a lease; shorter requests are raised to it. @defaultValue 1 (etcd uses 1.5 times its election
   * timeout, rounded up to whole seconds: 2 by default)
   */
  readonly minLeaseTtlSeconds?: number | undefined;
  /** Interval at which idle watches with `progressNotify` receive the revision, milliseconds. @defaultValue 600 000 (etcd) */
  readonly progressIntervalMs?: number | undefined;
  /**
   * Maximum number of events buffered for a watch whose reader is busy; beyond it the watch reads from the history.
   * @defaultValue 1000
   */
  readonly watchBufferEvents?: number | undefined;
  /** Maximum size of the values buffered for such a watch, in bytes. @defaultValue 4 MiB */
  readonly watchBufferBytes?: number | undefined;
  /**
   * Called with the changes of each revision in the step that makes them, before any watch has them. It must not throw, nor write.
   * @defaultValue nothing is called
   */
  readonly onCommit?: ((changes: readonly KeyValueEvent[]) => void) | undefined;
}

export interface StoreSnapshotOptions {
  /**
   * Whether the snapshot includes the kept past revisions, so that reads and watches of the past continue after a load.
   * @defaultValue false: the loaded store begins at the revision of the snapshot
   */
  readonly history?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SnapshotSummary {
  /** The revision of the saved state. */
  readonly revision: Revision;
  /** The size of the file in bytes. */
  readonly bytes: number;
}

export interface LoadOptions extends Omit<EmbeddedKeyValueStoreOptions, 'firstRevision'> {
  /**
   * Added to the revision of the snapshot; everything before the result counts as compacted. Use it for a snapshot that is older
   * than the state clients have seen. If it exceeds the number of revisions written since the snapshot, their watches start over
   * (etcdutl snapshot restore --bump-revision --mark-compacted). @defaultValue 0n
   */
  readonly bumpRevision?: Revision | undefined;
}

const MIB = 1024 * 1024;
/** Half of the range of etcd's 64-bit revisions, which leaves room for writes. */
const HIGHEST_FIRST_REVISION = 2n ** 62n;
const revision = (least: bigint) =>
  is.rule<Revision>(
    `a bigint from ${least}n to 2n ** 62n`,
    (given) => typeof given === 'bigint' && given >= least && given <= HIGHEST_FIRST_REVISION,
  );
const count = is.integer({ min: 1 });
const COMMON = {
  runtime: is.object().default(realRuntime),
  compactionIntervalMs: is.integer({ min: 0 }).default(300_000),
  maxHistoryBytes: is.integer({ min: 0 }).default(512 * MIB),
  maxValueBytes: count.default(1_572_864),
  minLeaseTtlSeconds: count.default(1),
  progressIntervalMs: count.default(600_000),
  watchBufferEvents: count.default(1000),
  watchBufferBytes: count.default(4 * MIB),
  onCommit: is.callback(),
};
const OWNER = 'EmbeddedKeyValueStore';
const OPTIONS = optionsOf<EmbeddedKeyValueStoreOptions>()(OWNER, {
  ...COMMON,
  firstRevision: revision(1n).default(1n),
});
const LOAD = optionsOf<LoadOptions>()(`${OWNER}.load`, {
  ...COMMON,
  bumpRevision: revision(0n).default(0n),
});
const SNAPSHOT = optionsOf<StoreSnapshotOptions>()('snapshot', {
  history: is.flag(),
  signal: is.abortSignal(),
});

/**
 * etcd's semantics in memory, without a server: revisions, transactions, history, leases and watches.
 *
 * Guarantees:
 * - Everything that `KeyValueStore` promises. A call takes effect before it returns; its promise need not be awaited for that.
 * - Range, count and write take O(log n) in the number of keys, plus the size of the result, also at a past revision. A count
 *   at a past revision adds the smaller of the size of the range and the number of later changes.
 * - History, watch buffers and values are bounded by the options.
 *
 * Not guaranteed: durability. The state is in memory only, so writes after the last snapshot are lost when the process ends.
 */
export class EmbeddedKeyValueStore implements KeyValueStore, AsyncDisposable {
  readonly supportsProgress = true;
  readonly #runtime: Runtime;
  readonly #state: MultiVersionMap;
  readonly #leases: LeaseTable;
  readonly #hub: WatchHub;
  readonly #keeper: HistoryKeeper;
  readonly #txnContext: TxnContext;
  readonly #onCommit: EmbeddedKeyValueStoreOptions['onCommit'];
  #closed = false;

  constructor(options: EmbeddedKeyValueStoreOptions = {}) {
    const read = OPTIONS.read(options);
    const { runtime } = read;
    this.#runtime = runtime;
    this.#onCommit = read.onCommit;
    this.#state = new MultiVersionMap(read.firstRevision);
    this.#leases = new LeaseTable({
      runtime,
      minTtlSeconds: read.minLeaseTtlSeconds,
      onExpire: (keys) => {
        this.#deleteAll(keys);
      },
    });
    this.#txnContext = {
      state: this.#state,
      leases: this.#leases,
      maxValueBytes: read.maxValueBytes,
    };
    this.#hub = new WatchHub({
      runtime,
      history: this.#state,
      progressIntervalMs: read.progressIntervalMs,
      bufferEvents: read.watchBufferEvents,
      bufferBytes: read.watchBufferBytes,
    });
    this.#keeper = new HistoryKeeper({
      runtime,
      state: this.#state,
      intervalMs: read.compactionIntervalMs,
      maxBytes: read.maxHistoryBytes,
    });
  }

  /**
   * Loads a store from a snapshot: a file, or its bytes in chunks of any size. Leases continue with the time that they had left.
   * @throws {ListwatchError} SNAPSHOT_INVALID with the fault and its place, SNAPSHOT_FILE, INVALID_OPTION.
   *
   * @example
   * const store = await EmbeddedKeyValueStore.load('/var/lib/app/state.snapshot');
   */
  static async load(
    source: string | AsyncIterable<Uint8Array>,
    options: LoadOptions = {},
  ): Promise<EmbeddedKeyValueStore> {
    const { bumpRevision, ...rest } = LOAD.read(options);
    const store = new EmbeddedKeyValueStore(rest);
    const isFile = typeof source === 'string';
    const name = isFile ? `the snapshot ${source}` : 'the snapshot';
    const bytes = isFile ? readWhole(source) : source;
    const leases = await readSnapshot(name, bytes, store.#state);
    store.#resume(leases, bumpRevision);
    return store;
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    this.#checkOpen();
    checkKey(request.key, request.rangeEnd);
    return this.#state.range(request);
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    this.#checkOpen();
    const response = runTxn(request, this.#txnContext);
    this.#commit();
    return response;
  }

  async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    this.#checkOpen();
    checkWatchedKeys(request.key, request.rangeEnd);
    return this.#hub.watch(request);
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    this.#keeper.compact(revision);
  }

  async leaseGrant(ttlSeconds: number): Promise<Lease> {
    this.#checkOpen();
    return this.#leases.grant(ttlSeconds);
  }

  async leaseRevoke(leaseId: bigint): Promise<void> {
    this.#checkOpen();
    this.#deleteAll(this.#leases.take(leaseId));
  }

  async status(): Promise<KeyValueStatus> {
    this.#checkOpen();
    return {
      revision: this.#state.revision,
      compactedRevision: this.#state.compactedRevision,
    };
  }

  /**
   * The state at one revision with all leases, as bytes. The revision is the current one when reading begins; writes continue
   * meanwhile. Until the reader is done, the store keeps in addition at most one older version of each key, and with `history`
   * all past revisions of that moment.
   */
  snapshot(options: StoreSnapshotOptions = {}): AsyncIterable<Uint8Array> {
    this.#checkOpen();
    SNAPSHOT.read(options);
    return this.#frames(options, () => {});
  }

  /**
   * Writes a snapshot into a file that only its owner may read. The file is replaced atomically: until the new one is complete,
   * an earlier file stays. @throws {ListwatchError} SNAPSHOT_FILE.
   */
  async saveSnapshot(path: string, options: StoreSnapshotOptions = {}): Promise<SnapshotSummary> {
    this.#checkOpen();
    SNAPSHOT.read(options, 'saveSnapshot');
    let { revision } = this.#state;
    const frames = this.#frames(options, (begun) => {
      revision = begun;
    });
    const bytes = await writeWhole(path, frames, this.#runtime);
    return { revision, bytes };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#keeper.destroy();
    this.#leases.destroy();
    this.#hub.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#frames(
    { history = false, signal }: StoreSnapshotOptions,
    onBegin: (revision: Revision) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const check = (): void => {
      signal?.throwIfAborted();
      this.#checkOpen();
    };
    check();
    const leases = this.#leases.records();
    const state = this.#state;
    const writer = new SnapshotWriter({ runtime: this.#runtime, state, leases, history, check });
    onBegin(writer.revision);
    try {
      yield* writer.frames();
    } finally {
      writer.release();
      this.#keeper.trim();
    }
  }

  /** Restores the leases and the revision of a snapshot; the time of the leases runs from now. */
  #resume(leases: readonly LeaseRecord[], bump: Revision): void {
    const state = this.#state;
    if (bump > 0n) state.skipTo(state.revision + bump);
    for (const lease of leases) this.#leases.restore(lease);
    if (leases.length > 0) {
      state.visitFrom('', state.revision, Infinity, (kv) => {
        this.#leases.attach(kv);
        return true;
      });
    }
    this.#keeper.afterCommit();
  }

  /** Deletes in key order and in one revision, as etcd does when a lease ends. */
  #deleteAll(keys: readonly string[]): void {
    const byOrder = keys.map((key) => ({ key, order: orderedForm(key) }));
    byOrder.sort((left, right) => (left.order < right.order ? -1 : 1));
    for (const { key } of byOrder) this.#state.delete(key);
    this.#commit();
  }

  /** Closes the revision, passes its events to leases and watchers, and limits the history. All in one synchronous block. */
  #commit(): void {
    const events = this.#state.commit();
    if (events === undefined) return;
    this.#leases.apply(events);
    this.#onCommit?.(events.map(({ event }) => event));
    this.#hub.publish(events);
    this.#keeper.afterCommit();
  }

  #checkOpen(): void {
    if (this.#closed) throw new ListwatchError('CLOSED', 'the key-value store is closed');
  }
}
