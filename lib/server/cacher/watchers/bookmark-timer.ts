import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { BookmarkEvent } from '../../../meta/watch-event.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type { CacheWatcher } from './cache-watcher.ts';

/** Interval at which due bookmarks are sent, without jitter (cacher.go dispatchEvents @ 24a394e). */
const TICK_MS = 1000;
const TICK_JITTER = 0.25;
const LONGEST_TICK_MS = TICK_MS * (1 + TICK_JITTER);
/** Interval of bookmarks for an idle watcher (cacher.go defaultBookmarkFrequency @ 24a394e). */
const FREQUENCY_MS = 60_000;
/** A watcher gets a last bookmark this long before the end of its request (cache_watcher.go nextBookmarkTime @ 24a394e). */
const BEFORE_DEADLINE_MS = 2000;

export interface BookmarkTimerOptions {
  readonly runtime: Runtime;
  /** The revision up to which every watcher has been offered all events; undefined while it is not known. */
  readonly currentRevision: () => Revision | undefined;
  /** Requests progress from the storage; called shortly before bookmarks are due, so that they have a recent revision. */
  readonly requestProgress: () => void;
}

/**
 * Sends bookmarks to the watchers that requested them, about once a minute and shortly before their request ends, so that
 * clients can resume from there.
 *
 * Its timer runs only while a watcher wants bookmarks.
 */
export class BookmarkTimer<T extends KubernetesObject> {
  readonly #options: BookmarkTimerOptions;
  /** The time at which each watcher is due. */
  readonly #dueAtMs: Map<CacheWatcher<T>, number> = new Map();
  #timer: Timer | undefined;

  constructor(options: BookmarkTimerOptions) {
    this.#options = options;
  }

  add(watcher: CacheWatcher<T>): void {
    this.#dueAtMs.set(watcher, this.#nextDueMs(watcher));
    if (this.#timer === undefined) this.#arm();
  }

  remove(watcher: CacheWatcher<T>): void {
    if (!this.#dueAtMs.delete(watcher) || this.#dueAtMs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { runtime } = this.#options;
    const delayMs = TICK_MS * (1 + runtime.random() * TICK_JITTER);
    this.#timer = runtime.setTimer(
      delayMs,
      () => {
        this.#arm();
        this.#tick();
      },
      { background: true },
    );
  }

  #tick(): void {
    const revision = this.#options.currentRevision();
    if (revision === undefined) return;
    const nowMs = this.#options.runtime.monotonicMs();
    let bookmark: BookmarkEvent | undefined;
    let someAreDueNext = false;
    for (const [watcher, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > nowMs) {
        someAreDueNext ||= dueAtMs <= nowMs + LONGEST_TICK_MS;
        continue;
      }
      bookmark ??= {
        type: 'BOOKMARK',
        resourceVersion: revision.toString(),
        initialEventsEnd: false,
      };
      watcher.offerBookmark(bookmark, revision);
      this.#dueAtMs.set(watcher, this.#nextDueMs(watcher));
    }
    if (someAreDueNext) this.#options.requestProgress();
  }

  #nextDueMs({ deadlineMonotonicMs = Infinity }: CacheWatcher<T>): number {
    const nowMs = this.#options.runtime.monotonicMs();
    const lastMs = deadlineMonotonicMs - BEFORE_DEADLINE_MS;
    return nowMs < lastMs ? Math.min(nowMs + FREQUENCY_MS, lastMs) : Infinity;
  }
}
