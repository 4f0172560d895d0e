import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { KeyValueStore, Revision } from '../mvcc/contract/key-value-store.ts';

/** The key by which the servers of a cluster agree on who compacts. kube-apiserver uses the same key, so both may share a cluster. */
const TURN_KEY = 'compact_rev_key';

export interface CompactorOptions {
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
