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
 * Its timer runs only while a watcher wants bookmarks. Ticks at which no watcher is due, and for which no progress is requested, are left
 * out: they would do nothing.
 */
export class BookmarkTimer<T extends KubernetesObject> {
  readonly #options: BookmarkTimerOptions;
  /** The time at which each watcher is due. */
  readonly #dueAtMs: Map<CacheWatcher<T>, number> = new Map();
  #timer: Timer | undefined;
  /** The due time for which the timer runs. */
  #armedForMs = Infinity;

  constructor(options: BookmarkTimerOptions) {
    this.#options = options;
  }

  add(watcher: CacheWatcher<T>): void {
    const dueAtMs = this.#nextDueMs(watcher);
    this.#dueAtMs.set(watcher, dueAtMs);
    if (dueAtMs < this.#armedForMs) this.#arm(dueAtMs);
  }

  remove(watcher: CacheWatcher<T>): void {
    if (this.#dueAtMs.delete(watcher) && this.#dueAtMs.size === 0) this.#disarm();
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Infinity;
  }

  /** The next tick is the one before `dueAtMs`, or if that is near, the one that follows it. */
  #arm(dueAtMs: number): void {
    this.#disarm();
    if (dueAtMs === Infinity) return;
    const { runtime } = this.#options;
    this.#armedForMs = dueAtMs;
    const tickMs = TICK_MS * (1 + runtime.random() * TICK_JITTER);
    const restMs = dueAtMs - runtime.monotonicMs();
    const isNear = restMs <= LONGEST_TICK_MS;
    this.#timer = runtime.setTimer(
      Math.max(tickMs, isNear ? restMs : restMs - tickMs),
      () => {
        this.#tick();
        this.#arm(this.#earliestMs());
      },
      { background: true },
    );
  }

  #earliestMs(): number {
    let earliestMs = Infinity;
    for (const dueAtMs of this.#dueAtMs.values()) earliestMs = Math.min(earliestMs, dueAtMs);
    return earliestMs;
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
