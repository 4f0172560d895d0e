import type { Runtime } from '../../kernel/runtime.ts';
import { isTooLargeResourceVersion } from '../../meta/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Revision } from '../mvcc/key-value-store.ts';
import { keyNotFound } from '../storage/object-access.ts';
import { predicateIsEmpty, type SelectionPredicate } from '../storage/selection-predicate.ts';
import type {
  DeleteOptions,
  GetListOptions,
  GetOptions,
  GuaranteedUpdateOptions,
  StorageInterface,
  StorageList,
  TryUpdate,
} from '../storage/storage-interface.ts';
import { prepareKey } from '../storage/storage-keys.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { CacherReadiness } from './cacher-readiness.ts';
import type { Freshness } from './freshness.ts';
import { keyScope } from './key-scope.ts';
import { routeList, type ListRoute } from './list-route.ts';
import { readList } from './list-reader.ts';
import type { OrderedStore } from './ordered-store.ts';
import type { StoreElement } from './store-element.ts';
import type { WatchCache } from './watch-cache.ts';

export interface CacheDelegatorOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  readonly cache: WatchCache<T>;
  readonly readiness: CacherReadiness;
  readonly freshness: Freshness;
  readonly runtime: Runtime;
  readonly consistentListFromCache: boolean;
}

interface Page<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  readonly revision: Revision;
  readonly startKey?: string | undefined;
  /** 0: no limit. */
  readonly limit: number;
}

/**
 * Decides for each read and write whether the cache answers it, helps with it, or the storage does it alone.
 *
 * | request | cache ready | cache not ready |
 * |---|---|---|
 * | get, no version | storage | storage |
 * | get, version 0 or N | cache, once it shows N | storage |
 * | list, no version | cache, once it shows the storage's revision; storage when that takes too long | see below |
 * | list, version 0 or not older than N | cache, once it shows N | see below |
 * | list, exactly N, or a next page | a past state of the cache; storage when there is none | see below |
 * | update, delete | storage, with the cache's object as a suggestion | the same |
 *
 * While the cache is not ready, a list with a limit and no selector goes to the storage; all others wait for the cache.
 * @see apiserver pkg/storage/cacher/delegator.go @ 24a394e
 */
export class CacheDelegator<T extends KubernetesObject> {
  readonly #options: CacheDelegatorOptions<T>;

  constructor(options: CacheDelegatorOptions<T>) {
    this.#options = options;
  }

  async get(key: string, options: GetOptions = {}): Promise<StoredObject<T> | undefined> {
    const { storage, resourcePrefix, cache, readiness, freshness } = this.#options;
    const { resourceVersion = '', ignoreNotFound, signal } = options;
    if (resourceVersion === '' || readiness.state !== 'ready')
      return await storage.get(key, options);
    const prepared = prepareKey(resourcePrefix, key, false);
    await freshness.waitFor(storage.versioner.parseResourceVersion(resourceVersion), signal);
    const found = cache.get(prepared);
    if (found === undefined && ignoreNotFound !== true) {
      throw keyNotFound(prepared);
    }
    return found;
  }

  async getList(key: string, options: GetListOptions<T> = {}): Promise<StorageList<T>> {
    const { storage, resourcePrefix, runtime } = this.#options;
    const scope = keyScope(resourcePrefix, key, options.recursive ?? true);
    const route = routeList(scope, options, storage.versioner);
    const page = this.#goesPastCache(route, options)
      ? undefined
      : await this.#pageOf(route, options);
    if (page === undefined) return await storage.getList(key, options);
    const { predicate, signal } = options;
    return await readList({ ...page, scope, predicate, runtime, signal });
  }

  async delete(key: string, options: DeleteOptions<T> = {}): Promise<StoredObject<T>> {
    const cachedExisting = this.#suggestion(key) ?? options.cachedExisting;
    return await this.#options.storage.delete(key, { ...options, cachedExisting });
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options: GuaranteedUpdateOptions<T> = {},
  ): Promise<StoredObject<T>> {
    const cachedExisting = this.#suggestion(key) ?? options.cachedExisting;
    return await this.#options.storage.guaranteedUpdate(key, tryUpdate, {
      ...options,
      cachedExisting,
    });
  }

  #goesPastCache({ source }: ListRoute, { limit = 0, predicate }: GetListOptions<T>): boolean {
    const { readiness, consistentListFromCache } = this.#options;
    if (source === 'storage' || (source === 'latest' && !consistentListFromCache)) return true;
    // Cheap enough for the storage to answer while the cache is being filled.
    const cheap = limit > 0 && predicateIsEmpty(predicate as SelectionPredicate);
    return cheap && readiness.state !== 'ready';
  }

  /** Awaits until the cache can answer, and what it answers from; undefined when it cannot. */
  async #pageOf(
    route: ListRoute,
    { limit = 0, signal }: GetListOptions<T>,
  ): Promise<Page<T> | undefined> {
    const { cache, readiness, freshness } = this.#options;
    await readiness.wait(signal);
    switch (route.source) {
      case 'storage':
        return undefined;
      case 'cache': {
        await freshness.waitFor(route.revision, signal);
        const { state, revision } = cache;
        // Whoever takes any state gets all of it: there is no later page of "any state".
        return { state, revision, limit: route.revision === 0n ? 0 : limit };
      }
      case 'latest': {
        if (!(await this.#becomesLatest(signal))) return undefined;
        const { state, revision } = cache;
        return { state, revision, startKey: route.startKey, limit };
      }
      case 'exact': {
        const { revision, startKey } = route;
        const state = await this.#stateAt(revision);
        return state && { state, revision, startKey, limit };
      }
    }
  }

  /** Awaits until the cache shows the storage's present revision; false when it does not get there in time. */
  async #becomesLatest(signal: AbortSignal | undefined): Promise<boolean> {
    const { storage, freshness } = this.#options;
    const current = await storage.getCurrentResourceVersion();
    try {
      await freshness.waitFor(storage.versioner.parseResourceVersion(current), signal);
      return true;
    } catch (error) {
      if (isTooLargeResourceVersion(error)) return false;
      throw error;
    }
  }

  /** What the storage has compacted away is not served from memory either: every server gives the same answer. */
  async #stateAt(revision: Revision): Promise<OrderedStore<StoreElement<T>> | undefined> {
    const { storage, cache } = this.#options;
    const oldest = storage.versioner.parseResourceVersion(await storage.compactRevision());
    return revision < oldest ? undefined : cache.stateAt(revision);
  }

  #suggestion(key: string): StoredObject<T> | undefined {
    return this.#options.cache.get(key);
  }
}
