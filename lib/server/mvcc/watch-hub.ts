import { onAbort } from '../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { KeyValueWatch, KeyValueWatchRequest } from './contract/key-value-store.ts';
import { orderedForm } from './contract/ordered-form.ts';
import type { RevisionEvents } from './revision-log.ts';
import { Watcher, type WatchHistory } from './watcher.ts';
import { WatcherTable } from './watcher-table.ts';

export interface WatchHubOptions {
  readonly runtime: Runtime;
  readonly history: WatchHistory;
  readonly progressIntervalMs: number;
  readonly bufferEvents: number;
  readonly bufferBytes: number;
}

/** All watchers of a store. It passes each commit to the watchers of its keys, and reports progress to idle ones at intervals. */
export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #table = new WatcherTable<Watcher>();
  readonly #releases = new Map<Watcher, () => void>();
  #progressTimer: Timer | undefined;
  #wantProgress = 0;

  constructor(options: WatchHubOptions) {
    this.#options = options;
  }

  /** Running watches. */
  get size(): number {
    return this.#releases.size;
  }

  watch(request: KeyValueWatchRequest): KeyValueWatch {
    const { runtime, history, bufferEvents, bufferBytes } = this.#options;
    const { key, rangeEnd, startRevision = 0n } = request;
    const watcher = new Watcher({
      runtime,
      history,
      interest: {
        start: orderedForm(key),
        end: rangeEnd === undefined ? undefined : orderedForm(rangeEnd),
      },
      start: startRevision > 0n ? startRevision : history.revision + 1n,
      previous: request.previous ?? false,
      progressNotify: request.progressNotify ?? false,
      bufferEvents,
      bufferBytes,
      onEnd: (ended) => {
        this.#remove(ended);
      },
    });
    this.#table.add(watcher);
    this.#releases.set(watcher, () => {});
    if (watcher.progressNotify) this.#wantProgress += 1;
    this.#armProgress();
    const release = onAbort(request.signal, () => {
      watcher.destroy();
    });
    if (this.#releases.has(watcher)) this.#releases.set(watcher, release);
    return watcher;
  }

  /** Called in the same synchronous block as the commit. */
  publish(events: RevisionEvents): void {
    if (this.#releases.size === 0) return;
    for (const message of events) {
      this.#table.forKey(message.event.kv.key, (watcher) => {
        watcher.offer(message);
      });
    }
  }

  destroy(): void {
    for (const watcher of this.#releases.keys()) watcher.destroy();
  }

  #remove(watcher: Watcher): void {
    this.#table.delete(watcher);
    this.#releases.get(watcher)?.();
    this.#releases.delete(watcher);
    if (watcher.progressNotify) this.#wantProgress -= 1;
    if (this.#wantProgress > 0) return;
    this.#progressTimer?.cancel();
    this.#progressTimer = undefined;
  }

  #armProgress(): void {
    if (this.#wantProgress === 0 || this.#progressTimer !== undefined) return;
    const { runtime, progressIntervalMs } = this.#options;
    this.#progressTimer = runtime.setTimer(
      progressIntervalMs,
      () => {
        this.#progressTimer = undefined;
        for (const watcher of this.#releases.keys()) {
          if (watcher.progressNotify) watcher.requestProgressIfQuiet();
        }
        this.#armProgress();
      },
      { background: true },
    );
  }
}
