import type { ReplaceSink } from '../../../cache/reflector/contract/reflector-sink.ts';
import { assert } from '../../../kernel/failure/assert.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { expired } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { Versioner } from '../../storage/contract/versioner.ts';
import type { KeyScope } from './key-scope.ts';
import { OrderedStore } from './ordered-store.ts';
import { StoreElement } from './store-element.ts';
import { WatchCacheEvent } from './watch-cache-event.ts';
import { WatchCacheHistory, type WatchCacheHistoryOptions } from './watch-cache-history.ts';
import { HistoryInterval, StateInterval, type WatchCacheInterval } from './watch-cache-interval.ts';

/** Receives the changes of the watch cache. All calls are synchronous, and made after the cache contains the change. */
export interface WatchCacheListener<T extends KubernetesObject> {
  /** The content was replaced; no earlier position can be continued. */
  onReplace(): void;
  /** Changes, in order. */
  onEvents(events: readonly WatchCacheEvent<T>[]): void;
  /** The revision of the cache has increased without a change. */
  onProgress(): void;
  /** A promise while too many changes are queued; undefined when there is room. */
  waitForRoom(): Promise<void> | undefined;
}

export interface WatchCacheOptions<T extends KubernetesObject> {
  readonly runtime: Runtime;
  readonly versioner: Versioner;
  readonly listener: WatchCacheListener<T>;
  readonly history?: WatchCacheHistoryOptions | undefined;
}

/**
 * The state of one resource and the latest changes that led to it, fed by a Reflector.
 *
 * Guarantees:
 * - State, history and revision change together, in one synchronous block. Code that reads them and registers a watcher without
 *   an `await` in between misses no change and gets none twice.
 * - Reading never waits and never copies: a state is an immutable snapshot.
 * @see apiserver pkg/storage/cacher/watch_cache.go @ 24a394e
 */
export class WatchCache<T extends KubernetesObject> implements ReplaceSink<StoredObject<T>> {
  readonly history: WatchCacheHistory<T>;
  readonly #options: WatchCacheOptions<T>;
  #state: OrderedStore<StoreElement<T>> = OrderedStore.of<StoreElement<T>>([]);
  #revision: Revision = 0n;

  constructor(options: WatchCacheOptions<T>) {
    this.#options = options;
    this.history = new WatchCacheHistory(options.history);
  }

  /** The cache contains every change up to it. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The content at `revision`. */
  get state(): OrderedStore<StoreElement<T>> {
    return this.#state;
  }

  get(key: string): StoredObject<T> | undefined {
    return this.#state.get(key)?.stored;
  }

  /** The content at a past revision; undefined if it is older than the window or newer than the cache. */
  stateAt(revision: Revision): OrderedStore<StoreElement<T>> | undefined {
    return revision > this.#revision ? undefined : this.history.stateAt(revision);
  }

  /** The present state as ADDED events. */
  getState(scope: KeyScope): WatchCacheInterval<T> {
    return new StateInterval(this.#state, this.#revision, scope);
  }

  /**
   * The changes after `revision`. If it is in the future, there are none yet.
   * @throws {ApiError} 410 when some of them are not in the window any more.
   */
  getAllEventsSince(revision: Revision, scope: KeyScope): WatchCacheInterval<T> {
    const { history } = this;
    if (revision < history.oldestRevision) {
      throw expired(`too old resource version: ${revision} (${history.oldestRevision})`);
    }
    return new HistoryInterval(history, history.firstAfter(revision), this.#revision, scope);
  }

  replace(items: readonly StoredObject<T>[], resourceVersion: string): void {
    this.#revision = this.#options.versioner.parseResourceVersion(resourceVersion);
    this.#state = OrderedStore.of(items.map((stored) => new StoreElement(stored)));
    this.history.restart(this.#revision, this.#state);
    this.#options.listener.onReplace();
  }

  apply(events: readonly ObjectEvent<StoredObject<T>>[]): void {
    this.#options.listener.onEvents(events.map((event) => this.#takeIn(event)));
  }

  bookmark(resourceVersion: string): void {
    const revision = this.#options.versioner.parseResourceVersion(resourceVersion);
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#options.listener.onProgress();
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#options.listener.waitForRoom();
  }

  #takeIn({ type, object }: ObjectEvent<StoredObject<T>>): WatchCacheEvent<T> {
    const { key, resourceVersion } = object;
    const revision = this.#options.versioner.parseResourceVersion(resourceVersion);
    assert(
      revision >= this.#revision,
      `the storage sent revision ${revision} of ${key} after ${this.#revision}`,
    );
    const previous = this.#state.get(key);
    const current = type === 'DELETED' ? undefined : new StoreElement(object);
    this.#state = current === undefined ? this.#state.without(key) : this.#state.with(current);
    this.#revision = revision;
    const event = new WatchCacheEvent<T>({
      key,
      revision,
      resourceVersion,
      current,
      previous,
      deleted: type === 'DELETED' ? object : undefined,
      state: this.#state,
      recordedAtMs: this.#options.runtime.monotonicMs(),
    });
    this.history.append(event);
    return event;
  }
}
