import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { Revision } from './contract/key-value-store.ts';
import type { MultiVersionMap } from './multi-version-map.ts';

export interface HistoryKeeperOptions {
  readonly runtime: Runtime;
  readonly state: MultiVersionMap;
  /** 0: history is not compacted by time. */
  readonly intervalMs: number;
  readonly maxBytes: number;
}

/** Number of changes freed in one task, which takes a few milliseconds. */
const TRIM_STEP = 2000;

/**
 * Decides when history is compacted, and spreads the work of freeing it over tasks.
 *
 * By time, it compacts to the revision recorded one interval before, as kube-apiserver does with etcd. While nothing is
 * written, no timer runs. By size, it compacts the oldest revisions until the history fits its limit again.
 */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;
  #timer: Timer | undefined;
  #recorded: Revision = 0n;
  #trimming = false;
  #closed = false;

  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
  }

  /** @throws {ListwatchError} COMPACTED, FUTURE_REVISION. */
  compact(revision: Revision): void {
    this.#options.state.compact(revision);
    this.trim();
  }

  afterCommit(): void {
    const { state, maxBytes } = this.#options;
    while (state.historyBytes > maxBytes && !this.#trimming) {
      if (state.compactedRevision === state.revision) break;
      state.compact(state.compactedRevision + 1n);
      state.trim(1);
    }
    this.#arm();
  }

  destroy(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    const { runtime, intervalMs } = this.#options;
    if (this.#timer !== undefined || intervalMs === 0 || this.#closed) return;
    this.#timer = runtime.setTimer(
      intervalMs,
      () => {
        this.#timer = undefined;
        this.#tick();
      },
      { background: true },
    );
  }

  #tick(): void {
    const { state } = this.#options;
    if (this.#recorded > state.compactedRevision) this.compact(this.#recorded);
    this.#recorded = state.revision;
    if (state.compactedRevision < state.revision) this.#arm();
  }

  /** Frees, in steps, the versions that no read can reach any more. */
  trim(): void {
    if (this.#trimming || this.#closed || !this.#options.state.trim(TRIM_STEP)) return;
    this.#trimming = true;
    this.#options.runtime.queueTask(() => {
      this.#trimming = false;
      this.trim();
    });
  }
}
