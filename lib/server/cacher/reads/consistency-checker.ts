import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { OrderedStore } from '../window/ordered-store.ts';
import type { StoreElement } from '../window/store-element.ts';
import { resourceLabels, watchCacheMetrics } from '../window/watch-cache-metrics.ts';

/** Each check is later by a random share of the interval up to this, so that servers do not list at the same time. */
const JITTER = 0.5;
/** Number of objects in a page when the storage is listed (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
const PAGE_SIZE = 10_000;

/** An object whose versions in cache and storage differ; undefined: the object is missing there. */
export interface CacheDifference {
  readonly key: string;
  readonly cachedResourceVersion: string | undefined;
  readonly storedResourceVersion: string | undefined;
}

/**
 * The result of a comparison of a cache with its storage.
 *
 * @experimental
 */
export interface ConsistencyReport {
  readonly consistent: boolean;
  /** The resource version at which both were compared. */
  readonly resourceVersion: string;
  /** The first difference in key order; undefined without a difference. */
  readonly firstDifference: CacheDifference | undefined;
}

/** The content of a cache at one moment. */
export interface CacheSnapshot<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  readonly resourceVersion: string;
  /** Increases when the cache is filled again. */
  readonly generation: number;
}

export interface ConsistencyCheckerOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  /** Undefined while the cache has no content to compare. */
  readonly snapshot: () => CacheSnapshot<T> | undefined;
  /** The name of the resource in messages. */
  readonly description: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Time between two checks, without jitter; 0: only on demand. */
  readonly intervalMs: number;
}

/**
 * Compares, at an interval, the cache with the storage at the same resource version, object by object.
 *
 * When they differ, the cache is not read until a later check finds no difference. A check that cannot be carried out, because
 * the storage does not respond or has compacted that version, changes nothing.
 * @see apiserver pkg/storage/cacher/consistency @ 24a394e
 */
export class ConsistencyChecker<T extends KubernetesObject> {
  readonly #options: ConsistencyCheckerOptions<T>;
  readonly #stopping = new AbortController();
  #consistent = true;
  /** How many checks have begun, and the number of the one that `consistent` is from. */
  #begun = 0;
  #latest = 0;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ConsistencyCheckerOptions<T>) {
    this.#options = options;
  }

  /** False from a check that found a difference until a check that finds none. */
  get consistent(): boolean {
    return this.#consistent;
  }

  /** Starts the checks in the background. */
  start(): void {
    const { intervalMs, runtime } = this.#options;
    if (intervalMs === 0 || this.#stopping.signal.aborted) return;
    const delayMs = intervalMs * (1 + runtime.random() * JITTER);
    const check = (): void => {
      this.#running = this.#checkInBackground();
    };
    this.#timer = runtime.setTimer(delayMs, check, { background: true });
  }

  /** Stops the checks, and resolves when none is running. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  /**
   * Compares now; undefined while the cache has no content to compare.
   * @throws {ApiError} the storage's error if its list fails.
   */
  async check(): Promise<ConsistencyReport | undefined> {
    const { snapshot } = this.#options;
    const compared = snapshot();
    if (compared === undefined) return undefined;
    const { resourceVersion, generation } = compared;
    this.#begun += 1;
    const number = this.#begun;
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
    // If the cache was filled again meanwhile, the result says nothing about its new content. A check that began later says more.
    if (number > this.#latest && snapshot()?.generation === generation) {
      this.#latest = number;
      this.#consistent = consistent;
    }
    return { consistent, resourceVersion, firstDifference };
  }

  async #checkInBackground(): Promise<void> {
    const { description, logger } = this.#options;
    try {
      await this.check();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      logger.warn('watch cache could not be compared with its storage', {
        resource: description,
        error,
      });
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
    metrics.count(name, 1, { ...resourceLabels(description), status });
  }

  #report(
    { key, cachedResourceVersion, storedResourceVersion }: CacheDifference,
    resourceVersion: string,
  ): void {
    const { description, logger } = this.#options;
    logger.error(
      'watch cache differs from its storage; reads go to the storage until they agree again',
      { resource: description, resourceVersion, key, cachedResourceVersion, storedResourceVersion },
    );
  }
}

function isSame(cached: StoredObject | undefined, stored: StoredObject): boolean {
  return cached?.key === stored.key && cached.resourceVersion === stored.resourceVersion;
}

/** Both lists are in key order: if two keys differ, the smaller one is missing in the other list. */
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
