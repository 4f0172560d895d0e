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
 * Its timer runs only while a watcher wants bookmarks. It waits until one is due soon, where upstream looks every second: a server
 * with many idle watches does nothing between their bookmarks. Watchers that are due at about the same time share a tick.
 */
export class BookmarkTimer<T extends KubernetesObject> {
  readonly #options: BookmarkTimerOptions;
  /** The time at which each watcher is due. */
  readonly #dueAtMs: Map<CacheWatcher<T>, number> = new Map();
  #timer: Timer | undefined;
  /** The least of `#dueAtMs` when the timer was armed; a removed watcher may have been due then. */
  #earliestMs = Infinity;

  constructor(options: BookmarkTimerOptions) {
    this.#options = options;
  }

  add(watcher: CacheWatcher<T>): void {
    const dueAtMs = this.#nextDueMs(watcher);
    this.#dueAtMs.set(watcher, dueAtMs);
    if (dueAtMs < this.#earliestMs) this.#arm(dueAtMs);
  }

  remove(watcher: CacheWatcher<T>): void {
    if (this.#dueAtMs.delete(watcher) && this.#dueAtMs.size === 0) this.#arm(Infinity);
  }

  /** Ticks once shortly before the earliest bookmark, for progress, and once when it is due; at most once a second. */
  #arm(earliestMs: number): void {
    const { runtime } = this.#options;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#earliestMs = earliestMs;
    if (earliestMs === Infinity) return;
    const tickMs = TICK_MS * (1 + runtime.random() * TICK_JITTER);
    const leftMs = earliestMs - runtime.monotonicMs();
    const delayMs = Math.max(tickMs, leftMs > LONGEST_TICK_MS ? leftMs - tickMs : leftMs);
    this.#timer = runtime.setTimer(delayMs, () => this.#tick(), { background: true });
  }

  #tick(): void {
    const revision = this.#options.currentRevision();
    if (revision !== undefined) this.#sendDue(revision);
    let earliestMs = Infinity;
    for (const dueAtMs of this.#dueAtMs.values()) earliestMs = Math.min(earliestMs, dueAtMs);
    this.#arm(earliestMs);
    const leftMs = earliestMs - this.#options.runtime.monotonicMs();
    if (revision !== undefined && leftMs <= LONGEST_TICK_MS) this.#options.requestProgress();
  }

  #sendDue(revision: Revision): void {
    const nowMs = this.#options.runtime.monotonicMs();
    const resourceVersion = revision.toString();
    const bookmark: BookmarkEvent = { type: 'BOOKMARK', resourceVersion, initialEventsEnd: false };
    for (const [watcher, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > nowMs) continue;
      watcher.offerBookmark(bookmark, revision);
      this.#dueAtMs.set(watcher, this.#nextDueMs(watcher));
    }
  }

  #nextDueMs({ deadlineMonotonicMs = Infinity }: CacheWatcher<T>): number {
    const nowMs = this.#options.runtime.monotonicMs();
    const lastMs = deadlineMonotonicMs - BEFORE_DEADLINE_MS;
    return nowMs < lastMs ? Math.min(nowMs + FREQUENCY_MS, lastMs) : Infinity;
  }
}
