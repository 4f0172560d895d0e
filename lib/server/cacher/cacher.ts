import { Reflector } from '../../cache/reflector/reflector.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { failure } from '../../meta/failure/api-error.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type {
  StorageCreateOptions,
  StorageDeleteOptions,
  GetListOptions,
  StorageGetOptions,
  GuaranteedUpdateOptions,
  StorageInterface,
  StorageList,
  StorageScan,
  StorageStats,
  StorageWatch,
  StorageWatchOptions,
  TryUpdate,
} from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';
import type { Versioner } from '../storage/contract/versioner.ts';
import { backgroundRuntime } from './background-runtime.ts';
import { CacheDelegator, type WatchStart } from './reads/cache-delegator.ts';
import {
  resolveCacherOptions,
  type CacherOptions,
  type ResolvedCacherOptions,
} from './cacher-options.ts';
import { READING_OF_STORAGE } from './reading-of-storage.ts';
import type { CacherStatus } from './cacher-status.ts';
import { CacherReadiness } from './reads/cacher-readiness.ts';
import {
  ConsistencyChecker,
  type CacheSnapshot,
  type ConsistencyReport,
} from './reads/consistency-checker.ts';
import { failedWatch } from './watchers/failed-watch.ts';
import { Freshness } from './reads/freshness.ts';
import { HistoryListerWatcher } from './history-lister-watcher.ts';
import { keyScope, type KeyScope } from './window/key-scope.ts';
import { OpenWatches } from './watchers/open-watches.ts';
import { StorageListerWatcher } from './storage-lister-watcher.ts';
import { ListedInterval, type WatchCacheInterval } from './window/watch-cache-interval.ts';
import { WatchCache, type WatchCacheListener } from './window/watch-cache.ts';

/** Interval of progress requests while a reader waits, milliseconds (cacher/progress progressRequestPeriod @ 24a394e). */
const PROGRESS_INTERVAL_MS = 100;
/**
 * A storage with a watch cache in front of it: one watch on the storage feeds any number of watchers, and most reads are
 * answered from memory.
 *
 * It lists and watches the storage with a `Reflector`, beginning with `start` or the first request.
 *
 * Guarantees:
 * - A watch misses no change and gets none twice, even if there are writes while it starts.
 * - All watchers share the objects and the event objects, so an event is encoded once for all of them.
 * - A list of the most recent state includes every write that was acknowledged before the call, as with the storage itself.
 * - A write resolves when the watches of the same client have its event, unless their readers are busy, or the storage takes over
 *   50 ms to send it. Other watches have it within some milliseconds, together with others of that time.
 * - At an interval it compares itself with the storage; while they differ, reads go to the storage.
 * - After `stop` no timer and no watch is left. A running cacher does not keep the process alive.
 *
 * Not guaranteed: that a watch runs without end. It ends, without an error, when its reader is too slow, and when the cache has
 * to be filled again; the client resumes with the last resource version it received.
 * @see apiserver pkg/storage/cacher/cacher.go @ 24a394e
 */
export class Cacher<T extends KubernetesObject> implements StorageInterface<T>, AsyncDisposable {
  readonly versioner: Versioner;
  readonly #options: ResolvedCacherOptions<T>;
  readonly #cache: WatchCache<T>;
  readonly #readiness: CacherReadiness;
  readonly #freshness: Freshness;
  readonly #delegator: CacheDelegator<T>;
  readonly #watches: OpenWatches<T>;
  readonly #checker: ConsistencyChecker<T>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** See `startLater`. */
  #historyFrom: string | undefined;
  /** The source of the running cache. */
  #source: HistoryListerWatcher<T> | undefined;

  constructor(options: CacherOptions<T>) {
    const resolved = resolveCacherOptions(options);
    const { storage, runtime, description, history } = resolved;
    const { readyTimeoutMs, freshTimeoutMs, consistencyCheckIntervalMs } = resolved;
    this.#options = resolved;
    this.versioner = storage.versioner;
    this.#readiness = new CacherReadiness({ runtime, description, timeoutMs: readyTimeoutMs });
    this.#freshness = new Freshness({
      runtime,
      timeoutMs: freshTimeoutMs,
      progressIntervalMs: PROGRESS_INTERVAL_MS,
      requestProgress: () => this.#requestProgress(),
    });
    this.#watches = new OpenWatches({
      ...resolved,
      requestProgress: () => {
        if (storage.supportsProgress) void this.#requestProgress();
      },
    });
    this.#cache = new WatchCache({
      runtime,
      versioner: this.versioner,
      listener: this.#listen(),
      history,
    });
    this.#checker = new ConsistencyChecker({
      ...resolved,
      intervalMs: consistencyCheckIntervalMs,
      snapshot: () => this.#snapshot(),
    });
    this.#delegator = new CacheDelegator({
      ...resolved,
      cache: this.#cache,
      readiness: this.#readiness,
      freshness: this.#freshness,
      consistent: () => this.#checker.consistent,
    });
  }

  get supportsProgress(): boolean {
    return this.#options.storage.supportsProgress;
  }

  /** The state of the cacher, for inspection. */
  get status(): CacherStatus {
    const { history, revision, state } = this.#cache;
    return {
      readiness: this.#readiness.state,
      generation: this.#readiness.generation,
      consistent: this.#checker.consistent,
      resourceVersion: this.versioner.resourceVersionOf(revision),
      objectCount: state.size,
      historySize: history.size,
      historyCapacity: history.capacity,
      watcherCount: this.#watches.size,
    };
  }

  /** Whether `stop` was called. */
  get stopped(): boolean {
    return this.#readiness.state === 'stopped';
  }

  /** Whether `start` was called, or a reader started the cache. */
  get started(): boolean {
    return this.#running !== undefined;
  }

  /** Begins to fill the cache. Has no effect if it was started or stopped before. */
  start(): void {
    if (this.#running === undefined && !this.stopped) {
      this.#running = this.#reflect();
      this.#checker.start();
    }
  }

  /**
   * Lets the first reader start the cache, which then reads the history since `resourceVersion` from the storage, as far as it is
   * there. A server with many resources so fills only the caches that are used. For a storage in the same process: readers wait until
   * the history is read. Has no effect on a started cache.
   */
  startLater(resourceVersion: string): void {
    this.#historyFrom = resourceVersion;
  }

  /** Ends all watches after their queued events, and resolves when the watch on the storage is closed. */
  async close(): Promise<void> {
    this.#readiness.stop();
    const { description } = this.#options;
    const message = `the watch cache of ${description} was stopped`;
    this.#freshness.close(failure('ServiceUnavailable', message));
    this.#watches.close();
    if (this.#running === undefined) return;
    this.#stopping.abort();
    await Promise.all([this.#running, this.#checker.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Drops past events: a watch that starts before `resourceVersion` then gets 410. Running watches continue. If the storage
   * supports progress, it first waits until the cache has reached `resourceVersion`. Has no effect on a cache that was never used.
   * @throws {ApiError} 429 when the cache is not ready; 504 when it does not reach the version in time.
   */
  async forgetHistory(resourceVersion: string): Promise<void> {
    if (this.#running === undefined) return;
    await this.#readiness.wait();
    if (this.supportsProgress) {
      await this.#freshness.waitFor(this.versioner.parseResourceVersion(resourceVersion));
    }
    const { history, revision, state } = this.#cache;
    history.restart(revision, state);
  }

  /**
   * Resolves when the cache has reached `resourceVersion` and the readers of its watches have the events up to it. Has no effect on
   * a cache that was never used.
   * @throws {ApiError} 429 when the cache is not ready; 504 when it does not reach the version in time.
   */
  async settle(resourceVersion: string): Promise<void> {
    if (this.#running === undefined) return;
    await this.#readiness.wait();
    const revision = this.versioner.parseResourceVersion(resourceVersion);
    if (this.supportsProgress) await this.#freshness.waitFor(revision);
    await this.#watches.delivered();
  }

  /**
   * Compares the cache with the storage now, object by object.
   * @throws {ApiError} 429 when the cache is not ready; the storage's error if its list fails.
   */
  async checkConsistency(): Promise<ConsistencyReport> {
    this.start();
    for (;;) {
      await this.#readiness.wait();
      const report = await this.#checker.check();
      if (report !== undefined) return report;
    }
  }

  async create(key: string, object: T, options?: StorageCreateOptions): Promise<StoredObject<T>> {
    return await this.#delivered(await this.#options.storage.create(key, object, options), options);
  }

  async delete(key: string, options?: StorageDeleteOptions<T>): Promise<StoredObject<T>> {
    return await this.#delivered(await this.#delegator.delete(key, options), options);
  }

  async get(key: string, options?: StorageGetOptions): Promise<StoredObject<T> | undefined> {
    // The storage answers a read without a version.
    if ((options?.resourceVersion ?? '') !== '') this.start();
    return await this.#delegator.get(key, options);
  }

  async getList(key: string, options?: GetListOptions<T>): Promise<StorageList<T>> {
    this.start();
    return await this.#delegator.getList(key, options);
  }

  async scan(key: string, options?: GetListOptions<T>): Promise<StorageScan<T>> {
    this.start();
    return await this.#delegator.scan(key, options);
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options?: GuaranteedUpdateOptions<T>,
  ): Promise<StoredObject<T>> {
    const written = await this.#delegator.guaranteedUpdate(key, tryUpdate, options);
    return await this.#delivered(written, options);
  }

  /** Awaits the cache, and the requested revision, before the watch starts. From the start to the registration nothing is awaited. */
  async watch(key: string, options: StorageWatchOptions<T> = {}): Promise<StorageWatch<T>> {
    const { signal, resourceVersion } = options;
    const { resourcePrefix } = this.#options;
    const scope = keyScope(resourcePrefix, key, options.recursive ?? true);
    this.versioner.parseResourceVersion(resourceVersion);
    this.start();
    try {
      return await this.#open(scope, options);
    } catch (error) {
      if (signal?.aborted === true) return failedWatch();
      throw error;
    }
  }

  async stats(): Promise<StorageStats> {
    return await this.#options.storage.stats();
  }

  enableResourceSizeEstimation(): void {
    this.#options.storage.enableResourceSizeEstimation();
  }

  async requestWatchProgress(): Promise<void> {
    await this.#options.storage.requestWatchProgress();
  }

  async getCurrentResourceVersion(): Promise<string> {
    return await this.#options.storage.getCurrentResourceVersion();
  }

  async compactRevision(): Promise<string | undefined> {
    return await this.#options.storage.compactRevision();
  }

  async readinessCheck(): Promise<void> {
    this.start();
    await this.#readiness.wait();
    await this.#options.storage.readinessCheck();
  }

  /** The result of a write, as soon as the watches of the client have its event. */
  #delivered(
    written: StoredObject<T>,
    options: { readonly client?: string | undefined } | undefined,
  ): StoredObject<T> | Promise<StoredObject<T>> {
    const client = options?.client;
    const { writes } = this.#watches;
    if (!writes.hasWatches(client) || this.#readiness.state !== 'ready') return written;
    const revision = this.versioner.parseResourceVersion(written.resourceVersion);
    return writes.wait(revision, client).then(() => written);
  }

  async #open(scope: KeyScope, options: StorageWatchOptions<T>): Promise<StorageWatch<T>> {
    const { signal } = options;
    await this.#readiness.wait(signal);
    let start: WatchStart<T>;
    try {
      start = await this.#delegator.watchStart(scope, options);
    } catch (error) {
      signal?.throwIfAborted();
      return failedWatch(error);
    }
    while (this.#readiness.state !== 'ready') await this.#readiness.wait(signal);
    return this.#register(scope, start, options);
  }

  /** Synchronous, so that no change can come between the interval and the registration. */
  #register(
    scope: KeyScope,
    start: WatchStart<T>,
    options: StorageWatchOptions<T>,
  ): StorageWatch<T> {
    let interval: WatchCacheInterval<T>;
    try {
      interval = this.#interval(scope, start, options);
    } catch (error) {
      return failedWatch(error);
    }
    return this.#watches.open({ scope, interval, startRevision: start.revision, options });
  }

  #interval(
    scope: KeyScope,
    { revision, listed }: WatchStart<T>,
    { sendInitialEvents }: StorageWatchOptions<T>,
  ): WatchCacheInterval<T> {
    if (listed !== undefined) {
      const isBehind = revision < this.#cache.revision;
      const rest = isBehind ? this.#cache.getAllEventsSince(revision, scope) : undefined;
      return new ListedInterval(listed.items, revision, rest);
    }
    const withState = sendInitialEvents ?? revision === 0n;
    if (withState) return this.#cache.getState(scope);
    // Version 0 means any version: the present one of the cache.
    return this.#cache.getAllEventsSince(revision === 0n ? this.#cache.revision : revision, scope);
  }

  #snapshot(): CacheSnapshot<T> | undefined {
    const { state, generation } = this.#readiness;
    if (state !== 'ready') return undefined;
    const resourceVersion = this.versioner.resourceVersionOf(this.#cache.revision);
    return { state: this.#cache.state, resourceVersion, generation };
  }

  #listen(): WatchCacheListener<T> {
    return {
      onReplace: () => {
        const { revision } = this.#cache;
        this.#leaveReady();
        this.#watches.restart(revision);
        this.#freshness.reach(revision);
        this.#becomeReady();
      },
      onEvents: (events) => {
        const { revision } = this.#cache;
        this.#becomeReady();
        this.#freshness.reach(revision);
        this.#watches.dispatch(events, revision);
      },
      onProgress: () => {
        const { revision } = this.#cache;
        this.#becomeReady();
        this.#freshness.reach(revision);
        this.#watches.reach(revision);
      },
      waitForRoom: () => this.#watches.waitForRoom(),
    };
  }

  async #reflect(): Promise<void> {
    const { storage, resourcePrefix, description, logger, metrics } = this.#options;
    const runtime = backgroundRuntime(this.#options.runtime);
    const collection = { storage, resourcePrefix, description };
    const source = new StorageListerWatcher({ ...collection, runtime, alwaysLatest: true });
    const historyFrom = this.#historyFrom;
    this.#source = new HistoryListerWatcher({ ...this.#options, source, historyFrom });
    const reflector = new Reflector<StoredObject<T>>({
      name: `watch cache of ${description}`,
      listerWatcher: this.#source,
      sink: this.#cache,
      runtime,
      logger,
      metrics,
      ...READING_OF_STORAGE,
      onError: (error) => this.#readiness.failed(error),
      onTransition: ({ to }) => {
        if (to === 'listing') this.#leaveReady();
      },
    });
    await reflector.run({ signal: this.#stopping.signal });
  }

  #becomeReady(): void {
    const present = this.#source?.present ?? 0n;
    if (this.#cache.revision >= present) this.#readiness.becomeReady();
  }

  /** Called after changes were missed. The cache must not be read any more, and its watchers cannot get the missed changes. */
  #leaveReady(): void {
    this.#readiness.becomePending();
    this.#watches.end();
  }

  async #requestProgress(): Promise<void> {
    const { storage, logger } = this.#options;
    try {
      await storage.requestWatchProgress();
    } catch (error) {
      logger.warn('the storage refused a progress request', { error: errorMessage(error) });
    }
  }
}
