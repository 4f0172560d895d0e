import { errorMessage } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Runtime, Timer } from '../../kernel/runtime.ts';
import type { KeyValueStore, Revision } from '../mvcc/key-value-store.ts';

/** The key with which the servers of a cluster agree whose turn it is. kube-apiserver uses the same key, so both may share a cluster. */
const TURN_KEY = 'compact_rev_key';

export interface CompactorOptions {
  readonly store: KeyValueStore;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Time between two compactions, milliseconds; history reaches back between one and two of it. */
  readonly intervalMs: number;
}

/**
 * Compacts a cluster in steps to where it stood one step before. Any number of servers may do so at once: at each step the
 * version of a key decides which of them compacts, and the others learn whose turn is next.
 *
 * A failure is logged, and the next step does the work of both.
 * @see apiserver pkg/storage/etcd3/compact.go @ 24a394e
 */
export class Compactor {
  readonly #options: CompactorOptions;
  #timer: Timer | undefined;
  #stopped = false;
  /** The version of the key that this server expects to find: how many steps the cluster has seen. */
  #turn = 0n;
  /** The revision at the last step; undefined before the first, which compacts nothing. */
  #noted: Revision | undefined;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Begins to count the time to the first step. */
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
        this.#options.logger.warn(`etcd: history was not compacted: ${errorMessage(error)}`);
      }
    }
    this.#schedule();
  }

  /** Awaits between taking the turn and compacting; the server that takes the next turn compacts to a later revision. */
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
