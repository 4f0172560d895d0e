import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type {
  StorageWatch,
  StorageWatchOptions,
} from '../../storage/contract/storage-interface.ts';
import type { KeyScope } from '../window/key-scope.ts';
import type { WatchCacheEvent } from '../window/watch-cache-event.ts';
import type { WatchCacheInterval } from '../window/watch-cache-interval.ts';
import { resourceLabels, watchCacheMetrics } from '../window/watch-cache-metrics.ts';
import { BookmarkTimer } from './bookmark-timer.ts';
import { CacheWatcher } from './cache-watcher.ts';
import { DeliveredWrites } from './delivered-writes.ts';
import { EventDispatcher } from './event-dispatcher.ts';
import { IndexedWatchers } from './indexed-watchers.ts';
import { NextTurn } from './next-turn.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** A watch that could not be started. Its reader gets the error; without an error, the watch ends at once. */
export function failedWatch<T extends KubernetesObject>(error?: unknown): StorageWatch<T> {
  type Result = IteratorResult<readonly WatchEvent<StoredObject<T>>[], undefined>;
  let over = error === undefined;
  const close = (): void => {
    over = true;
  };
  const next = async (): Promise<Result> => {
    if (over) return { done: true, value: undefined };
    over = true;
    throw error;
  };
  return {
    destroy: close,
    [Symbol.asyncIterator]: () => ({
      next,
      return: async (): Promise<Result> => {
        close();
        return { done: true, value: undefined };
      },
    }),
  };
}

export interface OpenWatchesOptions {
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Of the resource, for messages and metrics. */
  readonly description: string;
  /** Called when a bookmark is due, so that the storage says how far it is. */
  readonly requestProgress: () => void;
}

/** The begin of a new watch. */
export interface OpenedWatch<T extends KubernetesObject> {
  readonly scope: KeyScope;
  /** The events before the changes that are dispatched from now on. */
  readonly interval: WatchCacheInterval<T>;
  readonly startRevision: Revision;
  readonly options: StorageWatchOptions<T>;
}

/**
 * Maximum backlog of a reader, in events. The events are references to objects that the window keeps anyway, so the limit can be
 * higher than upstream, where a queue costs memory. A reader in a busy process then has more time to read.
 */
const QUEUE_CAPACITY = 1000;

/**
 * The open watches of a cache, and all that happens to them together: changes are dispatched, writes wait for delivery, bookmarks
 * are sent, slow readers are ended.
 *
 * Guarantee: a watch gets every change that is dispatched after `open` returned, until it ends. An ended watch is held by nothing here.
 */
export class OpenWatches<T extends KubernetesObject> {
  readonly #options: OpenWatchesOptions;
  readonly #watchers: IndexedWatchers<T> = new IndexedWatchers<T>();
  readonly #dispatcher: EventDispatcher<T>;
  readonly #turn: NextTurn;
  readonly #bookmarks: BookmarkTimer<T>;
  /** Writes that wait for their events. */
  readonly writes: DeliveredWrites;
  #nextWatcherId = 0;

  constructor(options: OpenWatchesOptions) {
    const { runtime, requestProgress } = options;
    this.#options = options;
    this.#turn = new NextTurn(runtime);
    this.writes = new DeliveredWrites(runtime);
    this.#dispatcher = new EventDispatcher({
      runtime,
      watchers: this.#watchers,
      onSlow: (watcher) => {
        this.#reportSlow(watcher);
      },
    });
    this.#bookmarks = new BookmarkTimer({
      runtime,
      currentRevision: () =>
        this.#dispatcher.busy ? undefined : this.#dispatcher.dispatchedRevision,
      requestProgress,
    });
  }

  /** The number of open watches. */
  get size(): number {
    return this.#watchers.size;
  }

  /** Synchronous, so that no change can come between the interval and the registration. */
  open({ scope, interval, startRevision, options }: OpenedWatch<T>): StorageWatch<T> {
    const watcher = new CacheWatcher<T>({
      id: this.#nextWatcherId,
      runtime: this.#options.runtime,
      scope,
      predicate: options.predicate,
      interval,
      startRevision,
      queueCapacity: QUEUE_CAPACITY,
      bookmarks: options.progressNotify === true,
      markInitialEventsEnd: options.sendInitialEvents === true,
      deadlineMonotonicMs: options.deadlineMonotonicMs,
      client: options.client,
      signal: options.signal,
      turn: this.#turn,
      onEnd: (ended) => {
        this.#forget(ended);
      },
    });
    this.#nextWatcherId += 1;
    if (watcher.ended) return watcher;
    this.#watchers.add(watcher);
    this.writes.add(watcher);
    if (watcher.wantsBookmarks) this.#bookmarks.add(watcher);
    return watcher;
  }

  /** Passes changes on, in order. `revision`: that of the last one. */
  dispatch(events: readonly WatchCacheEvent<T>[], revision: Revision): void {
    this.#turn.notice(events.length);
    for (const event of events) this.#dispatcher.dispatch(event);
    this.writes.reach(revision);
  }

  /** There is no further change up to `revision`. */
  reach(revision: Revision): void {
    this.#dispatcher.reach(revision);
    this.writes.reach(revision);
  }

  /** Starts again at `revision`, after `end`. */
  restart(revision: Revision): void {
    this.#dispatcher.restart(revision);
    this.writes.reach(revision);
  }

  /** A promise while too many changes wait for slow watches. */
  waitForRoom(): Promise<void> | undefined {
    return this.#dispatcher.waitForRoom();
  }

  /** Resolves when the readers that wait have what was dispatched; undefined if they have it. */
  delivered(): Promise<void> | undefined {
    return this.#turn.delivered();
  }

  /** Ends all watches after their queued events. Writes no longer wait for them. */
  end(): void {
    this.writes.release();
    for (const watcher of this.#watchers.all()) watcher.end();
  }

  /** As `end`; the readers get their events now. */
  close(): void {
    this.end();
    this.#turn.flush();
  }

  #forget(watcher: CacheWatcher<T>): void {
    this.#watchers.remove(watcher);
    this.writes.remove(watcher);
    this.#bookmarks.remove(watcher);
  }

  #reportSlow({ id, scope }: CacheWatcher<T>): void {
    const { description, logger, metrics } = this.#options;
    metrics.count(watchCacheMetrics.terminatedWatchers.name, 1, resourceLabels(description));
    logger.warn('watch cache ends a watch: its reader does not keep up', {
      resource: description,
      watcher: id,
      path: scope.path,
    });
  }
}
