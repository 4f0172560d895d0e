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
import { CacheDelegator, type WatchStart } from './reads/cache-delegator.ts';
import {
  resolveCacherOptions,
  type CacherOptions,
  type ResolvedCacherOptions,
} from './cacher-options.ts';
import {
  READING_OF_STORAGE,
  StorageListerWatcher,
  HistoryListerWatcher,
} from './storage-lister-watcher.ts';
import type { CacherStatus } from './cacher-status.ts';
import { CacherReadiness } from './reads/cacher-readiness.ts';
import { ConsistencyChecker, type ConsistencyReport } from './reads/consistency-checker.ts';
import { failedWatch, OpenWatches } from './watchers/open-watches.ts';
import { Freshness } from './reads/freshness.ts';
import { keyScope, type KeyScope } from './window/key-scope.ts';
import { ListedInterval, type WatchCacheInterval } from './window/watch-cache-interval.ts';
import { WatchCache } from './window/watch-cache.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

/** The same runtime, but its timers do not keep the process alive. For work that runs as long as the process. */
function backgroundRuntime(runtime: Runtime): Runtime {
  return {
    wallMs: () => runtime.wallMs(),
    monotonicMs: () => runtime.monotonicMs(),
    random: () => runtime.random(),
    setTimer: (delayMs: number, callback: () => void): Timer =>
      runtime.setTimer(delayMs, callback, { background: true }),
    queueTask: (task: () => void) => {
      runtime.queueTask(task);
    },
  };
}

/** Interval of progress requests while a reader waits, milliseconds (cacher/progress progressRequestPeriod @ 24a394e). */
const PROGRESS_INTERVAL_MS = 100;
/** Made for `start` or the first reader, so that a resource that is not used costs neither time nor memory. */
interface CacherParts<T extends KubernetesObject> {
  readonly cache: WatchCache<T>;
  readonly readiness: CacherReadiness;
  readonly freshness: Freshness;
  readonly delegator: CacheDelegator<T>;
  readonly watches: OpenWatches<T>;
  readonly checker: ConsistencyChecker<T>;
  readonly stopping: AbortController;
}

/**
 * A storage with a watch cache in front of it: one watch on the storage feeds any number of watchers, and most reads are
 * answered from memory.
 *
 * It lists and watches the storage with a `Reflector`, beginning with `start` or the first reader: a list, a watch, a read of a
 * version. Until then the storage answers.
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
 * @experimental
 */
export class Cacher<T extends KubernetesObject> implements StorageInterface<T>, AsyncDisposable {
  readonly versioner: Versioner;
  readonly #options: ResolvedCacherOptions<T>;
  #made: CacherParts<T> | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;
  /** See `startLater`. */
  #historyFrom: string | undefined;
  /** The source of the running cache. */
  #source: HistoryListerWatcher<T> | undefined;

  constructor(options: CacherOptions<T>) {
    this.#options = resolveCacherOptions(options);
    this.versioner = this.#options.storage.versioner;
  }

  get supportsProgress(): boolean {
    return this.#options.storage.supportsProgress;
  }

  /** After `startLater`: the storage itself, for a reader for whom the cache need not be filled. @internal */
  get uncached(): StorageInterface<T> | undefined {
    return this.#historyFrom === undefined ? undefined : this.#options.storage;
  }

  /** The state of the cacher, for inspection. */
  get status(): CacherStatus {
    const { cache, readiness, checker, watches } = this.#parts;
    const { history, revision, state } = cache;
    return {
      readiness: readiness.state,
      generation: readiness.generation,
      consistent: checker.consistent,
      resourceVersion: this.versioner.resourceVersionOf(revision),
      objectCount: state.size,
      historySize: history.size,
      historyCapacity: history.capacity,
      watcherCount: watches.size,
    };
  }

  /** Whether `stop` was called. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether `start` was called, or a reader started the cache. */
  get started(): boolean {
    return this.#running !== undefined;
  }

  /** Begins to fill the cache. Has no effect if it was started or stopped before. */
  start(): void {
    if (this.#running !== undefined || this.#stopped) return;
    this.#running = this.#reflect(this.#parts);
    this.#parts.checker.start();
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
    this.#stopped = true;
    if (this.#made === undefined) return;
    const { readiness, freshness, watches, checker, stopping } = this.#made;
    readiness.stop();
    const message = `the watch cache of ${this.#options.description} was stopped`;
    freshness.close(failure('ServiceUnavailable', message));
    watches.close();
    if (this.#running === undefined) return;
    stopping.abort();
    await Promise.all([this.#running, checker.close()]);
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
    await this.#reach(resourceVersion);
    const { history, revision, state } = this.#parts.cache;
    history.restart(revision, state);
  }

  /**
   * Resolves when the cache has reached `resourceVersion` and the readers of its watches have the events up to it. Has no effect on
   * a cache that was never used.
   * @throws {ApiError} 429 when the cache is not ready; 504 when it does not reach the version in time.
   */
  async settle(resourceVersion: string): Promise<void> {
    if (this.#running === undefined) return;
    await this.#reach(resourceVersion);
    await this.#parts.watches.delivered();
  }

  /**
   * Compares the cache with the storage now, object by object.
   * @throws {ApiError} 429 when the cache is not ready; the storage's error if its list fails.
   */
  async checkConsistency(): Promise<ConsistencyReport> {
    const { readiness, checker } = this.#started();
    for (;;) {
      await readiness.wait();
      const report = await checker.check();
      if (report !== undefined) return report;
    }
  }

  async create(key: string, object: T, options?: StorageCreateOptions): Promise<StoredObject<T>> {
    return await this.#delivered(await this.#options.storage.create(key, object, options), options);
  }

  async delete(key: string, options?: StorageDeleteOptions<T>): Promise<StoredObject<T>> {
    return await this.#delivered(await this.#reads.delete(key, options), options);
  }

  async get(key: string, options?: StorageGetOptions): Promise<StoredObject<T> | undefined> {
    if ((options?.resourceVersion ?? '') !== '') this.#started();
    return await this.#reads.get(key, options);
  }

  async getList(key: string, options?: GetListOptions<T>): Promise<StorageList<T>> {
    return await this.#started().delegator.getList(key, options);
  }

  async scan(key: string, options?: GetListOptions<T>): Promise<StorageScan<T>> {
    return await this.#started().delegator.scan(key, options);
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options?: GuaranteedUpdateOptions<T>,
  ): Promise<StoredObject<T>> {
    const written = await this.#reads.guaranteedUpdate(key, tryUpdate, options);
    return await this.#delivered(written, options);
  }

  /** Awaits the cache, and the requested revision, before the watch starts. From the start to the registration nothing is awaited. */
  async watch(key: string, options: StorageWatchOptions<T> = {}): Promise<StorageWatch<T>> {
    const { signal, resourceVersion } = options;
    const { resourcePrefix } = this.#options;
    const scope = keyScope(resourcePrefix, key, options.recursive ?? true);
    this.versioner.parseResourceVersion(resourceVersion);
    this.#started();
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
    await this.#started().readiness.wait();
    await this.#options.storage.readinessCheck();
  }

  /** The result of a write, as soon as the watches of the client have its event. */
  #delivered(
    written: StoredObject<T>,
    options: { readonly client?: string | undefined } | undefined,
  ): StoredObject<T> | Promise<StoredObject<T>> {
    if (this.#made === undefined) return written;
    const { readiness, watches } = this.#made;
    const client = options?.client;
    const { writes } = watches;
    if (!writes.hasWatches(client) || readiness.state !== 'ready') return written;
    const revision = this.versioner.parseResourceVersion(written.resourceVersion);
    return writes.wait(revision, client).then(() => written);
  }

  async #open(scope: KeyScope, options: StorageWatchOptions<T>): Promise<StorageWatch<T>> {
    const { signal } = options;
    const { readiness, delegator } = this.#parts;
    await readiness.wait(signal);
    let start: WatchStart<T>;
    try {
      start = await delegator.watchStart(scope, options);
    } catch (error) {
      signal?.throwIfAborted();
      return failedWatch(error);
    }
    while (readiness.state !== 'ready') await readiness.wait(signal);
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
    return this.#parts.watches.open({ scope, interval, startRevision: start.revision, options });
  }

  #interval(
    scope: KeyScope,
    { revision, listed }: WatchStart<T>,
    { sendInitialEvents }: StorageWatchOptions<T>,
  ): WatchCacheInterval<T> {
    const { cache } = this.#parts;
    if (listed !== undefined) {
      const isBehind = revision < cache.revision;
      const rest = isBehind ? cache.getAllEventsSince(revision, scope) : undefined;
      return new ListedInterval(listed.items, revision, rest);
    }
    const withState = sendInitialEvents ?? revision === 0n;
    if (withState) return cache.getState(scope);
    // Version 0 means any version: the present one of the cache.
    return cache.getAllEventsSince(revision === 0n ? cache.revision : revision, scope);
  }

  /** Waits until the cache has the state of `resourceVersion`, as far as the storage can say so. */
  async #reach(resourceVersion: string): Promise<void> {
    const { readiness, freshness } = this.#parts;
    await readiness.wait();
    const revision = this.versioner.parseResourceVersion(resourceVersion);
    if (this.supportsProgress) await freshness.waitFor(revision);
  }

  /** The parts of a cache that is being filled, or was stopped. */
  #started(): CacherParts<T> {
    this.start();
    return this.#parts;
  }

  /** For reads of the present state and for writes, which fill no cache. */
  get #reads(): Pick<StorageInterface<T>, 'get' | 'delete' | 'guaranteedUpdate'> {
    return this.#made?.delegator ?? this.#options.storage;
  }

  get #parts(): CacherParts<T> {
    return (this.#made ??= this.#make());
  }

  #make(): CacherParts<T> {
    const resolved = this.#options;
    const { storage, runtime, description, history } = resolved;
    const { readyTimeoutMs, freshTimeoutMs, consistencyCheckIntervalMs } = resolved;
    const readiness = new CacherReadiness({ runtime, description, timeoutMs: readyTimeoutMs });
    if (this.#stopped) readiness.stop();
    const freshness = new Freshness({
      runtime,
      timeoutMs: freshTimeoutMs,
      progressIntervalMs: PROGRESS_INTERVAL_MS,
      requestProgress: () => this.#requestProgress(),
    });
    const watches = new OpenWatches<T>({
      ...resolved,
      requestProgress: () => {
        if (storage.supportsProgress) void this.#requestProgress();
      },
    });
    const cache: WatchCache<T> = new WatchCache({
      runtime,
      versioner: this.versioner,
      listener: {
        onReplace: () => {
          const { revision } = cache;
          this.#leaveReady();
          watches.restart(revision);
          freshness.reach(revision);
          this.#becomeReady();
        },
        onEvents: (events) => {
          const { revision } = cache;
          this.#becomeReady();
          freshness.reach(revision);
          watches.dispatch(events, revision);
        },
        onProgress: () => {
          const { revision } = cache;
          this.#becomeReady();
          freshness.reach(revision);
          watches.reach(revision);
        },
        waitForRoom: () => watches.waitForRoom(),
      },
      history,
    });
    const checker = new ConsistencyChecker({
      ...resolved,
      intervalMs: consistencyCheckIntervalMs,
      snapshot: () => {
        const { state, generation } = readiness;
        if (state !== 'ready') return undefined;
        const resourceVersion = this.versioner.resourceVersionOf(cache.revision);
        return { state: cache.state, resourceVersion, generation };
      },
    });
    const delegator = new CacheDelegator({
      ...resolved,
      cache,
      readiness,
      freshness,
      consistent: () => checker.consistent,
    });
    const stopping = new AbortController();
    return { cache, readiness, freshness, delegator, watches, checker, stopping };
  }

  /** Without a reflector nothing fills the cache: why it could not be made is logged, and in the answer to each reader. */
  async #reflect({ cache, readiness, stopping }: CacherParts<T>): Promise<void> {
    const { storage, resourcePrefix, description, logger, metrics } = this.#options;
    const runtime = backgroundRuntime(this.#options.runtime);
    const collection = { storage, resourcePrefix, description };
    try {
      const source = new StorageListerWatcher({ ...collection, runtime, alwaysLatest: true });
      const historyFrom = this.#historyFrom;
      this.#source = new HistoryListerWatcher({ ...this.#options, source, historyFrom });
      const reflector = new Reflector<StoredObject<T>>({
        name: `watch cache of ${description}`,
        listerWatcher: this.#source,
        sink: cache,
        runtime,
        logger,
        metrics,
        ...READING_OF_STORAGE,
        onError: (error) => readiness.failed(error),
        onTransition: ({ to }) => {
          if (to === 'listing') this.#leaveReady();
        },
      });
      await reflector.run({ signal: stopping.signal });
    } catch (error) {
      readiness.failed(error);
      logger.error('a watch cache cannot be filled', { description, error: errorMessage(error) });
    }
  }

  #becomeReady(): void {
    const { cache, readiness } = this.#parts;
    const present = this.#source?.present ?? 0n;
    if (cache.revision >= present) readiness.becomeReady();
  }

  /** Called after changes were missed. The cache must not be read any more, and its watchers cannot get the missed changes. */
  #leaveReady(): void {
    const { readiness, watches } = this.#parts;
    readiness.becomePending();
    watches.end();
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
