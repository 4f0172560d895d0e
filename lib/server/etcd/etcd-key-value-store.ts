import { isListwatchError, errorMessage } from '../../kernel/failure/errors.ts';
import { checkKey, checkWatchedKeys } from '../mvcc/contract/key-rules.ts';
import type {
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  Lease,
  TxnOperation,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../mvcc/contract/key-value-store.ts';
import { wholeTtlSeconds } from '../mvcc/lease-table.ts';
import { compactedError, futureRevisionError } from '../mvcc/contract/revision-errors.ts';
import { EtcdConnection } from './etcd-connection.ts';
import { failureOf, refused, unavailable } from './etcd-error.ts';
import { resolveEtcdOptions, type EtcdOptions } from './etcd-options.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { COMPACT, LEASE_GRANT, LEASE_REVOKE, RANGE, STATUS, TXN } from './procedures.ts';
import { RangeReads } from './range-reads.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

/** The key by which the servers of a cluster agree on who compacts. kube-apiserver uses the same key, so both may share a cluster. */
const TURN_KEY = 'compact_rev_key';

interface CompactorOptions {
  readonly store: KeyValueStore;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Time between two compactions, milliseconds; history covers between one and two intervals. */
  readonly intervalMs: number;
}

/**
 * Compacts a cluster at an interval to the revision of one interval before. Any number of servers may do so at once: in each
 * interval the version of a key decides which of them compacts, and the others read from it the next turn.
 *
 * A failure is logged, and the next compaction covers both intervals.
 * @see apiserver pkg/storage/etcd3/compact.go @ 24a394e
 */
export class Compactor {
  readonly #options: CompactorOptions;
  #timer: Timer | undefined;
  #stopped = false;
  /** The version of the key that this server expects, that is, the number of intervals so far. */
  #turn = 0n;
  /** The revision at the last interval; undefined before the first, which compacts nothing. */
  #noted: Revision | undefined;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Schedules the first compaction. */
  start(): void {
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    const { runtime, intervalMs } = this.#options;
    if (this.#stopped) return;
    this.#timer = runtime.setTimer(intervalMs, () => void this.#tick(), { background: true });
  }

  async #tick(): Promise<void> {
    try {
      await this.#step();
    } catch (error) {
      if (!this.#stopped) {
        this.#options.logger.warn('etcd: history was not compacted', {
          error: errorMessage(error),
        });
      }
    }
    this.#schedule();
  }

  /** Awaits between taking the turn and compacting; the server of the next turn compacts to a later revision. */
  async #step(): Promise<void> {
    const { store, logger } = this.#options;
    const target = this.#noted;
    const { succeeded, revision, responses } = await store.txn({
      compare: [{ key: TURN_KEY, target: 'version', operator: '=', operand: this.#turn }],
      success: [{ type: 'put', key: TURN_KEY, value: Buffer.from(String(target ?? 0n)) }],
      failure: [{ type: 'range', key: TURN_KEY }],
    });
    this.#noted = revision;
    if (!succeeded) {
      const [found] = responses;
      this.#turn = found?.type === 'range' ? (found.items[0]?.version ?? 0n) : 0n;
      return;
    }
    this.#turn += 1n;
    if (target === undefined) return;
    await store.compact(target);
    logger.debug('etcd: history was compacted', { revision: target });
  }
}

/** Parses `3.5.16`; undefined for another form. */
function parse(version: string): readonly [number, number, number] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/**
 * Whether responses to progress requests are reliable: older members respond while a watch still has events to deliver
 * (etcd #15220, #17507). @see apiserver pkg/storage/feature/feature_support_checker.go @ 24a394e
 */
export function hasTrustworthyProgress(version: string): boolean {
  const [major, minor, patch] = parse(version) ?? [0, 0, 0];
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}

/** A key that is never written: a read of it returns only the revision. */
const NO_KEY = '\0listwatch';

/**
 * The `KeyValueStore` interface on a real etcd cluster.
 *
 * Guarantees:
 * - Everything that `KeyValueStore` promises, with etcd's own results; errors have the codes of the embedded engine.
 * - If a member fails, the next one is used. A read is repeated. A write is repeated only if the member cannot have received it;
 *   otherwise STORE_UNAVAILABLE says that its outcome is unknown.
 * - A watch survives the failure of a member: it continues after the last event, or ends with COMPACTED.
 *
 * @example
 * const store = await EtcdKeyValueStore.connect({ endpoints: ['http://127.0.0.1:2379'] });
 */
export class EtcdKeyValueStore implements KeyValueStore, AsyncDisposable {
  readonly supportsProgress: boolean;
  readonly #connection: EtcdConnection;
  readonly #watches = new Set<EtcdWatch>();
  readonly #compactor: Compactor;
  readonly #reads: RangeReads;
  /** The highest revision known to be compacted; it only grows. */
  #compactedBelow: Revision = 0n;

  private constructor(connection: EtcdConnection, supportsProgress: boolean) {
    this.#connection = connection;
    this.#reads = new RangeReads(connection);
    this.supportsProgress = supportsProgress;
    const { runtime, logger, compactionIntervalMs: intervalMs } = connection.options;
    this.#compactor = new Compactor({ store: this, runtime, logger, intervalMs });
  }

  /**
   * Asks every member for its version; at least one must respond.
   * @throws {ListwatchError} code INVALID_OPTION, STORE_UNAVAILABLE, STORE_FORBIDDEN, CERTIFICATE; MISSING_PEER
   * without the package `@grpc/grpc-js`.
   */
  static async connect(options: EtcdOptions): Promise<EtcdKeyValueStore> {
    const connection = new EtcdConnection(resolveEtcdOptions(options));
    try {
      const versions = await versionsOf(connection);
      const store = new EtcdKeyValueStore(connection, versions.every(hasTrustworthyProgress));
      // Reads once, so that credentials without permission fail here.
      await store.#revision();
      if (connection.options.compactionIntervalMs > 0) store.#compactor.start();
      return store;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    checkKey(request.key, request.rangeEnd);
    try {
      return await this.#reads.range(request);
    } catch (error) {
      throw await this.#withRevision(error, request.revision);
    }
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    const { success, failure = [] } = request;
    const operations = [...success, ...failure];
    for (const operation of operations) checkOperation(operation);
    return await this.#connection.call(TXN, request, {
      what: `a transaction on ${JSON.stringify(operations[0]?.key ?? '')}`,
      repeatable: operations.every(({ type }) => type === 'range'),
    });
  }

  async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    this.#connection.checkOpen();
    checkWatchedKeys(request.key, request.rangeEnd);
    const watch = new EtcdWatch({
      connection: this.#connection,
      request,
      trustsProgress: this.supportsProgress,
      onEnd: (ended) => this.#watches.delete(ended),
    });
    this.#watches.add(watch);
    await watch.open();
    return watch;
  }

  async compact(revision: Revision): Promise<void> {
    try {
      const call = { what: `compaction to revision ${revision}`, repeatable: true };
      await this.#connection.call(COMPACT, revision, call);
    } catch (error) {
      throw await this.#withRevision(error, revision);
    }
  }

  async leaseGrant(ttlSeconds: number): Promise<Lease> {
    const seconds = wholeTtlSeconds(ttlSeconds);
    // If the response is lost, the lease has no keys and expires by itself.
    const call = { what: 'a lease', repeatable: true };
    return await this.#connection.call(LEASE_GRANT, seconds, call);
  }

  async leaseRevoke(leaseId: bigint): Promise<void> {
    const call = { what: `the end of lease ${leaseId}`, repeatable: false };
    await this.#connection.call(LEASE_REVOKE, leaseId, call);
  }

  async status(): Promise<KeyValueStatus> {
    const revision = await this.#revision();
    return { revision, compactedRevision: await this.#compactedRevision() };
  }

  async close(): Promise<void> {
    this.#compactor.stop();
    for (const watch of this.#watches) watch.destroy();
    this.#connection.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #revision(): Promise<Revision> {
    return (await this.range({ key: NO_KEY, countOnly: true })).revision;
  }

  /** etcd does not report the compacted revision, but whether a revision can be read; a binary search finds the boundary. */
  async #compactedRevision(): Promise<Revision> {
    let unreadable = this.#compactedBelow;
    let readable = await this.#revision();
    while (readable - unreadable > 1n) {
      const middle = (readable + unreadable) / 2n;
      if (await this.#isReadable(middle)) readable = middle;
      else unreadable = middle;
    }
    // A search that began later may have found more.
    if (unreadable > this.#compactedBelow) this.#compactedBelow = unreadable;
    return unreadable === 0n ? 0n : readable;
  }

  async #isReadable(revision: Revision): Promise<boolean> {
    const request = { key: NO_KEY, countOnly: true, revision };
    const call = { what: `a read at revision ${revision}`, repeatable: true };
    try {
      await this.#connection.call(RANGE, request, call);
      return true;
    } catch (error) {
      if (isListwatchError(error, 'COMPACTED')) return false;
      throw error;
    }
  }

  /** Adds the requested and the current revision to an error; etcd's own message has neither. */
  async #withRevision(error: unknown, asked: Revision | undefined): Promise<unknown> {
    if (asked === undefined) return error;
    try {
      if (isListwatchError(error, 'COMPACTED')) {
        return compactedError(asked, await this.#compactedRevision());
      }
      if (isListwatchError(error, 'FUTURE_REVISION')) {
        return futureRevisionError(asked, await this.#revision());
      }
    } catch {
      // The first error is sufficient.
    }
    return error;
  }
}

async function versionsOf(connection: EtcdConnection): Promise<string[]> {
  const answers = await Promise.allSettled(
    connection.addresses.map((_, member) => connection.callMember(member, STATUS, undefined)),
  );
  const versions = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (versions.length > 0) return versions;
  const { reason } = answers[0] as PromiseRejectedResult;
  const failure = failureOf(reason);
  const what = 'a request for its version';
  throw failure.kind === 'refused'
    ? refused(what, failure.code, reason)
    : unavailable(what, connection.addresses, 'none', reason);
}

function checkOperation(operation: TxnOperation): void {
  checkKey(operation.key, operation.type === 'put' ? undefined : operation.rangeEnd);
}
