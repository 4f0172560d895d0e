import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
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
} from './key-value-store.ts';
import { HistoryKeeper } from './history-keeper.ts';
import { checkKey, checkWatchedKeys } from './key-rules.ts';
import { LeaseTable, type LeaseRecord } from './lease-table.ts';
import { MultiVersionMap } from './multi-version-map.ts';
import { orderedForm } from './ordered-form.ts';
import { readWhole, writeWhole } from './snapshot-file.ts';
import { readSnapshot } from './snapshot-reader.ts';
import { SnapshotWriter } from './snapshot-writer.ts';
import { runTxn, type TxnContext } from './transaction.ts';
import { WatchHub } from './watch-hub.ts';

export interface EmbeddedKeyValueStoreOptions {
  /** @defaultValue the real clock */
  readonly runtime?: Runtime | undefined;
  /**
   * The revision of the empty store; those before it count as compacted away. Above all revisions of a lost store, it makes
   * the watchers of that one begin anew (etcdutl snapshot restore --bump-revision --mark-compacted). @defaultValue 1n
   */
  readonly firstRevision?: Revision | undefined;
  /**
   * History is compacted in steps of this many milliseconds to where the store stood one step before, so it reaches back
   * between one and two steps. 0: never by time. @defaultValue 300 000 (kube-apiserver --etcd-compaction-interval)
   */
  readonly compactionIntervalMs?: number | undefined;
  /** History over this size is compacted at once, oldest first, in bytes. @defaultValue 512 MiB */
  readonly maxHistoryBytes?: number | undefined;
  /** Most bytes of values in one transaction. @defaultValue 1 572 864 (etcd --max-request-bytes) */
  readonly maxValueBytes?: number | undefined;
  /**
   * Shorter leases are lengthened to this. @defaultValue 1 (etcd rounds one and a half times its election timeout up to
   * whole seconds, which makes 2 of its default)
   */
  readonly minLeaseTtlSeconds?: number | undefined;
  /** Interval at which idle watches with `progressNotify` get the revision, milliseconds. @defaultValue 600 000 (etcd) */
  readonly progressIntervalMs?: number | undefined;
  /** Events held for a watch whose reader is busy, before it has to read from the history. @defaultValue 1000 */
  readonly watchBufferEvents?: number | undefined;
  /** Bytes of values held for such a watch. @defaultValue 4 MiB */
  readonly watchBufferBytes?: number | undefined;
}

export interface SnapshotOptions {
  /**
   * Whether past revisions come along as far as they are kept, so that reads and watches of the past go on after a load.
   * @defaultValue false: the loaded store begins at the revision of the snapshot
   */
  readonly history?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SnapshotSummary {
  /** The revision whose state was saved. */
  readonly revision: Revision;
  /** The size of the file in bytes. */
  readonly bytes: number;
}

export interface LoadOptions extends Omit<EmbeddedKeyValueStoreOptions, 'firstRevision'> {
  /**
   * The store goes on at a revision higher by this, and everything before it counts as compacted away. For a snapshot older
   * than what clients have seen: more than was written since makes their watches begin anew (etcdutl snapshot restore
   * --bump-revision --mark-compacted). @defaultValue 0n
   */
  readonly bumpRevision?: Revision | undefined;
}

const KNOWN_OPTIONS = [
  'runtime',
  'firstRevision',
  'compactionIntervalMs',
  'maxHistoryBytes',
  'maxValueBytes',
  'minLeaseTtlSeconds',
  'progressIntervalMs',
  'watchBufferEvents',
  'watchBufferBytes',
];
const LOAD_OPTIONS = [...KNOWN_OPTIONS.filter((name) => name !== 'firstRevision'), 'bumpRevision'];
const SNAPSHOT_OPTIONS = ['history', 'signal'];
const MIB = 1024 * 1024;
const OWNER = 'EmbeddedKeyValueStore';

/**
 * etcd's semantics in memory: revisions, transactions, history, leases and watches, without a server.
 *
 * Guarantees:
 * - Everything `KeyValueStore` promises. A call has taken effect when it returns, before its promise is awaited.
 * - Range, count and write take O(log n) in the number of keys, also at a past revision (plus what is returned, and for a
 *   count the smaller of the range and the number of later changes).
 * - History, watch buffers and values are bounded by the options.
 *
 * Not guaranteed: anything written after the last snapshot, once the process has ended; the state is in memory only.
 */
export class EmbeddedKeyValueStore implements KeyValueStore, AsyncDisposable {
  readonly supportsProgress = true;
  readonly #runtime: Runtime;
  readonly #state: MultiVersionMap;
  readonly #leases: LeaseTable;
  readonly #hub: WatchHub;
  readonly #keeper: HistoryKeeper;
  readonly #txnContext: TxnContext;
  #closed = false;

  constructor(options: EmbeddedKeyValueStoreOptions = {}) {
    rejectUnknownOptions(OWNER, options, KNOWN_OPTIONS);
    const runtime = options.runtime ?? realRuntime;
    this.#runtime = runtime;
    const whole = (
      name: Exclude<keyof EmbeddedKeyValueStoreOptions, 'runtime' | 'firstRevision'>,
      fallback: number,
      min: number,
    ): number => numberOption(OWNER, name, options[name], fallback, { min, integer: true });
    this.#state = new MultiVersionMap(firstRevisionOption(options.firstRevision));
    this.#leases = new LeaseTable({
      runtime,
      minTtlSeconds: whole('minLeaseTtlSeconds', 1, 1),
      onExpire: (keys) => {
        this.#deleteAll(keys);
      },
    });
    this.#txnContext = {
      state: this.#state,
      leases: this.#leases,
      maxValueBytes: whole('maxValueBytes', 1_572_864, 1),
    };
    this.#hub = new WatchHub({
      runtime,
      history: this.#state,
      progressIntervalMs: whole('progressIntervalMs', 600_000, 1),
      bufferEvents: whole('watchBufferEvents', 1000, 1),
      bufferBytes: whole('watchBufferBytes', 4 * MIB, 1),
    });
    this.#keeper = new HistoryKeeper({
      runtime,
      state: this.#state,
      intervalMs: whole('compactionIntervalMs', 300_000, 0),
      maxBytes: whole('maxHistoryBytes', 512 * MIB, 0),
    });
  }

  /**
   * A store with the content of a snapshot: a file, or its bytes in pieces of any size. Leases go on with the time they had
   * left. @throws {ListwatchError} SNAPSHOT_INVALID with what is wrong and where, SNAPSHOT_FILE, INVALID_OPTION.
   *
   * @example
   * const store = await EmbeddedKeyValueStore.load('/var/lib/app/state.snapshot');
   */
  static async load(
    source: string | AsyncIterable<Uint8Array>,
    options: LoadOptions = {},
  ): Promise<EmbeddedKeyValueStore> {
    const { bumpRevision = 0n, ...rest } = options;
    rejectUnknownOptions(OWNER, options, LOAD_OPTIONS);
    checkBump(bumpRevision);
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
   * The state at one revision, with all leases, as bytes to keep: that of the moment when reading begins. Writes go on
   * meanwhile. Until the reader is done the engine holds besides its state at most one older version of each key, and with
   * `history` the past as it was at the beginning.
   */
  snapshot(options: SnapshotOptions = {}): AsyncIterable<Uint8Array> {
    this.#checkOpen();
    rejectUnknownOptions('snapshot', options, SNAPSHOT_OPTIONS);
    return this.#frames(options, () => {});
  }

  /**
   * Writes a snapshot into a file, readable by its owner only, that appears whole or not at all; one that was there before
   * stays until then. @throws {ListwatchError} SNAPSHOT_FILE.
   */
  async saveSnapshot(path: string, options: SnapshotOptions = {}): Promise<SnapshotSummary> {
    this.#checkOpen();
    rejectUnknownOptions('saveSnapshot', options, SNAPSHOT_OPTIONS);
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
    this.#keeper.close();
    this.#leases.close();
    this.#hub.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#frames(
    { history = false, signal }: SnapshotOptions,
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

  /** Takes up what a snapshot left: the clock of the leases begins now. */
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

  /** In key order and in one revision, as etcd does when a lease ends. */
  #deleteAll(keys: readonly string[]): void {
    const byOrder = keys.map((key) => ({ key, order: orderedForm(key) }));
    byOrder.sort((left, right) => (left.order < right.order ? -1 : 1));
    for (const { key } of byOrder) this.#state.delete(key);
    this.#commit();
  }

  /** Closes the revision, tells leases and watchers, and keeps history within its bounds: one synchronous block. */
  #commit(): void {
    const events = this.#state.commit();
    if (events === undefined) return;
    this.#leases.apply(events);
    this.#hub.publish(events);
    this.#keeper.afterCommit();
  }

  #checkOpen(): void {
    if (this.#closed) throw new ListwatchError('CLOSED', 'the key-value store is closed');
  }
}

/** Half of what etcd's 64 bits hold, so that there is room for writes. */
const HIGHEST_FIRST_REVISION = 2n ** 62n;

function checkBump(value: unknown): void {
  if (typeof value === 'bigint' && value >= 0n && value <= HIGHEST_FIRST_REVISION) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${OWNER}.load: option "bumpRevision" must be a bigint from 0n to 2n ** 62n, not ${String(value)}`,
  );
}

function firstRevisionOption(value: unknown = 1n): Revision {
  if (typeof value === 'bigint' && value >= 1n && value <= HIGHEST_FIRST_REVISION) return value;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${OWNER}: option "firstRevision" must be a bigint from 1n to 2n ** 62n, not ${String(value)}`,
  );
}
