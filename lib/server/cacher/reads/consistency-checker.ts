import { errorMessage } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import type { Runtime, Timer } from '../../../kernel/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { OrderedStore } from '../window/ordered-store.ts';
import type { StoreElement } from '../window/store-element.ts';
import { watchCacheMetrics } from '../window/watch-cache-metrics.ts';

/** A check comes up to this share of the interval later, so that servers do not list all at once. */
const JITTER = 0.5;
/** Objects a page when the storage is listed (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
const PAGE_SIZE = 10_000;

/** An object of which cache and storage do not hold the same version; undefined: it is missing there. */
export interface CacheDifference {
  readonly key: string;
  readonly cachedResourceVersion: string | undefined;
  readonly storedResourceVersion: string | undefined;
}

/** The result of a comparison of a cache with its storage. */
export interface ConsistencyReport {
  readonly consistent: boolean;
  /** The resource version of the state that was compared. */
  readonly resourceVersion: string;
  /** In key order; undefined when there is none. */
  readonly firstDifference: CacheDifference | undefined;
}

/** The content of a cache at one moment. */
export interface CacheSnapshot<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  readonly resourceVersion: string;
  /** Grows when the cache is filled anew. */
  readonly generation: number;
}

export interface ConsistencyCheckerOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  /** Undefined while there is nothing to compare. */
  readonly snapshot: () => CacheSnapshot<T> | undefined;
  /** Names the resource in messages. */
  readonly description: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Time between two checks, before jitter; 0: only on demand. */
  readonly intervalMs: number;
}

/**
 * Compares what the cache shows with what the storage held at the same resource version, object by object, every now and then.
 *
 * A cache that differs is not believed from then on, until a later check finds no difference. A check that cannot be carried
 * out, because the storage does not answer or has compacted that state away, changes nothing.
 * @see apiserver pkg/storage/cacher/consistency @ 24a394e
 */
export class ConsistencyChecker<T extends KubernetesObject> {
  readonly #options: ConsistencyCheckerOptions<T>;
  readonly #stopping = new AbortController();
  #consistent = true;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ConsistencyCheckerOptions<T>) {
    this.#options = options;
  }

  /** False from a check that found a difference to the next that found none. */
  get consistent(): boolean {
    return this.#consistent;
  }

  /** Begins to check in the background. */
  start(): void {
    const { intervalMs, runtime } = this.#options;
    if (intervalMs === 0 || this.#stopping.signal.aborted) return;
    const delayMs = intervalMs * (1 + runtime.random() * JITTER);
    const check = (): void => {
      this.#running = this.#checkInBackground();
    };
    this.#timer = runtime.setTimer(delayMs, check, { background: true });
  }

  /** Resolves when no check is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  /**
   * Compares now; undefined while there is nothing to compare.
   * @throws {ApiError} what the storage answers instead of a list.
   */
  async check(): Promise<ConsistencyReport | undefined> {
    const { snapshot } = this.#options;
    const compared = snapshot();
    if (compared === undefined) return undefined;
    const { resourceVersion, generation } = compared;
    let firstDifference: CacheDifference | undefined;
    try {
      firstDifference = await this.#firstDifference(compared);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#count('error');
      throw error;
    }
    const consistent = firstDifference === undefined;
    this.#count(consistent ? 'success' : 'failure');
    if (firstDifference !== undefined) this.#report(firstDifference, resourceVersion);
    // A cache that was filled anew meanwhile is another one.
    if (snapshot()?.generation === generation) this.#consistent = consistent;
    return { consistent, resourceVersion, firstDifference };
  }

  async #checkInBackground(): Promise<void> {
    const { description, logger } = this.#options;
    try {
      await this.check();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const reason = errorMessage(error);
      logger.warn(
        `the watch cache of ${description} could not be compared with its storage: ${reason}`,
      );
    }
    this.start();
  }

  async #firstDifference({
    state,
    resourceVersion,
  }: CacheSnapshot<T>): Promise<CacheDifference | undefined> {
    const { storage, resourcePrefix } = this.#options;
    const { signal } = this.#stopping;
    const exactly = { resourceVersion, resourceVersionMatch: 'Exact' } as const;
    const cursor = state.range();
    let continueToken: string | undefined;
    do {
      const where = continueToken === undefined ? exactly : { continueToken };
      const page = await storage.getList(resourcePrefix, { ...where, limit: PAGE_SIZE, signal });
      for (const stored of page.items) {
        const cached = cursor.next()?.stored;
        if (!isSame(cached, stored)) return difference(cached, stored);
      }
      ({ continueToken } = page);
    } while (continueToken !== undefined);
    const surplus = cursor.next()?.stored;
    return surplus && difference(surplus, undefined);
  }

  #count(status: 'success' | 'failure' | 'error'): void {
    const { metrics, description } = this.#options;
    const { name } = watchCacheMetrics.consistencyChecks;
    metrics.count(name, 1, { resource: description, status });
  }

  #report(
    { key, cachedResourceVersion, storedResourceVersion }: CacheDifference,
    resourceVersion: string,
  ): void {
    const { description, logger } = this.#options;
    logger.error(
      `the watch cache of ${description} differs from its storage at resource version ${resourceVersion}: ` +
        `${key} has version ${cachedResourceVersion ?? 'none'} in the cache, ${storedResourceVersion ?? 'none'} in the storage; ` +
        'reads go to the storage until they agree again',
    );
  }
}

function isSame(cached: StoredObject | undefined, stored: StoredObject): boolean {
  return cached?.key === stored.key && cached.resourceVersion === stored.resourceVersion;
}

/** Both lists are in key order: of two different keys the smaller one is missing on the other side. */
function difference(
  cached: StoredObject | undefined,
  stored: StoredObject | undefined,
): CacheDifference {
  const key = smaller(cached?.key, stored?.key);
  return {
    key,
    cachedResourceVersion: cached?.key === key ? cached.resourceVersion : undefined,
    storedResourceVersion: stored?.key === key ? stored.resourceVersion : undefined,
  };
}

function smaller(left: string | undefined, right: string | undefined): string {
  if (left === undefined) return right ?? '';
  return right !== undefined && right < left ? right : left;
}
