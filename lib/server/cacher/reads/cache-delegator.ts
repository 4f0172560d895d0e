import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { isExpired, isTooLargeResourceVersion } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import { keyNotFound } from '../../storage/reads/object-access.ts';
import {
  predicateIsEmpty,
  type SelectionPredicate,
} from '../../storage/contract/selection-predicate.ts';
import {
  scanStorage,
  type StorageDeleteOptions,
  type GetListOptions,
  type StorageGetOptions,
  type GuaranteedUpdateOptions,
  type StorageInterface,
  type StorageList,
  type StorageScan,
  type StorageWatchOptions,
  type TryUpdate,
} from '../../storage/contract/storage-interface.ts';
import { prepareKey } from '../../storage/contract/storage-keys.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { CacherReadiness } from './cacher-readiness.ts';
import type { Freshness } from './freshness.ts';
import { keyScope, scopeEnd, type KeyScope } from '../window/key-scope.ts';
import type { OrderedStore } from '../window/ordered-store.ts';
import type { StoreElement } from '../window/store-element.ts';
import type { WatchCache } from '../window/watch-cache.ts';
import { resourceLabels, watchCacheMetrics } from '../window/watch-cache-metrics.ts';
import { decodeContinue, encodeContinue, keyAfter } from '../../storage/reads/continue-token.ts';
import { parseListVersion, type Versioner } from '../../storage/contract/versioner.ts';
import { nextTask } from '../../../kernel/time/wait.ts';

/** Number of items processed in one task. */
const PIECE = 5000;

interface ReadListOptions<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  /** The revision of `state`; the list and its pages have it as resource version. */
  readonly revision: Revision;
  readonly scope: KeyScope;
  readonly startKey?: string | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/** As `readList`; a complete list without selectors is read from the state while its reader goes through it. */
async function scanList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<StorageScan<T>> {
  const { state, revision, scope, startKey = scope.path, limit, predicate } = options;
  if (limit > 0 || !predicateIsEmpty(predicate as SelectionPredicate)) {
    return await readList(options);
  }
  const items = new StoredItems(state, startKey, scopeEnd(scope));
  return { items, resourceVersion: revision.toString() };
}

/** The objects of a range of a state, which does not change. */
class StoredItems<T extends KubernetesObject> implements Iterable<StoredObject<T>> {
  readonly #state: OrderedStore<StoreElement<T>>;
  readonly #from: string;
  readonly #to: string | undefined;

  constructor(state: OrderedStore<StoreElement<T>>, from: string, to: string | undefined) {
    this.#state = state;
    this.#from = from;
    this.#to = to;
  }

  *[Symbol.iterator](): Iterator<StoredObject<T>> {
    const cursor = this.#state.range(this.#from, this.#to);
    for (let one = cursor.next(); one !== undefined; one = cursor.next()) yield one.stored;
  }
}

/** One page of a state. Awaits between pieces of a long page; the state is immutable, so that does no harm. */
async function readList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<StorageList<T>> {
  const { state, revision, scope, startKey = scope.path, limit, runtime, signal } = options;
  const unfiltered = predicateIsEmpty(options.predicate as SelectionPredicate);
  const predicate = unfiltered ? undefined : options.predicate;
  const end = scopeEnd(scope);
  const cursor = state.range(startKey, end);
  const resourceVersion = revision.toString();
  const items: StoredObject<T>[] = [];
  let seen = 0;
  for (let element = cursor.next(); element !== undefined; element = cursor.next()) {
    if (limit > 0 && items.length === limit) {
      const last = (items.at(-1) as StoredObject<T>).key;
      const continueToken = encodeContinue({ startKey: keyAfter(last), revision }, scope.path);
      const page = { items, resourceVersion, continueToken };
      return unfiltered ? { ...page, remainingItemCount: state.count(element.key, end) } : page;
    }
    if (element.matches(predicate)) items.push(element.stored);
    seen += 1;
    if (seen % PIECE === 0) {
      await nextTask(runtime);
      signal?.throwIfAborted();
    }
  }
  return { items, resourceVersion };
}

/** Where a list is answered from. */
type ListRoute =
  /** From the storage: the cache cannot answer, or the request is invalid and the storage returns the error. */
  | { readonly source: 'storage' }
  /** From the cache, once it has reached the most recent revision of the storage. */
  | { readonly source: 'latest'; readonly startKey: string | undefined }
  /** From the cache, once it has reached `revision` (0: at once). */
  | { readonly source: 'cache'; readonly revision: Revision }
  /** From the state at `revision`. */
  | {
      readonly source: 'exact';
      readonly revision: Revision;
      readonly startKey: string | undefined;
    };

const STORAGE: ListRoute = { source: 'storage' };

/**
 * Decides where a list is answered from.
 * @throws {ApiError} 400 for a resource version or continue token that is not valid.
 * @see apiserver pkg/storage/cacher/delegator.go ShouldDelegateList @ 24a394e
 */
export function routeList<T extends KubernetesObject>(
  { path, recursive }: KeyScope,
  options: GetListOptions<T>,
  versioner: Versioner,
): ListRoute {
  const { resourceVersion = '', resourceVersionMatch, limit = 0, continueToken = '' } = options;
  if (continueToken !== '') {
    const isFirstPage = resourceVersion !== '' && resourceVersion !== '0';
    if (isFirstPage || resourceVersionMatch !== undefined || !recursive) return STORAGE;
    const position = decodeContinue(continueToken, path);
    const { startKey } = position;
    if (position.revision < 0n) return { source: 'latest', startKey };
    return { source: 'exact', revision: position.revision, startKey };
  }
  const revision = parseListVersion(versioner, resourceVersion);
  switch (resourceVersionMatch) {
    case 'Exact':
      return exactly(revision, recursive);
    case 'NotOlderThan':
      return resourceVersion === '' ? STORAGE : { source: 'cache', revision };
    case undefined:
      if (resourceVersion === '') return { source: 'latest', startKey: undefined };
      // Before match rules existed, a version with a limit meant exactly that version.
      return limit > 0 && revision > 0n
        ? exactly(revision, recursive)
        : { source: 'cache', revision };
    default:
      return STORAGE;
  }
}

function exactly(revision: Revision, recursive: boolean): ListRoute {
  const servable = recursive && revision > 0n;
  return servable ? { source: 'exact', revision, startKey: undefined } : STORAGE;
}

export interface CacheDelegatorOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  readonly cache: WatchCache<T>;
  readonly readiness: CacherReadiness;
  readonly freshness: Freshness;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  /** The name of the resource in metrics. */
  readonly description: string;
  readonly consistentListFromCache: boolean;
  /** False when a check found that the cache differs from the storage; the cache is not read then. */
  readonly consistent: () => boolean;
}

/** The revision at which a watch on the cache begins. */
export interface WatchStart<T extends KubernetesObject> {
  /** The revision of the state that the reader has, or receives first. */
  readonly revision: Revision;
  /** The state at `revision`, if the storage listed it. */
  readonly listed?: StorageList<T> | undefined;
}

interface Page<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  readonly revision: Revision;
  readonly startKey?: string | undefined;
  /** 0: no limit. */
  readonly limit: number;
}

/**
 * Decides for each read and write whether the cache answers it, supports it, or the storage handles it alone.
 *
 * | request | cache ready | cache not ready |
 * |---|---|---|
 * | get, no version | storage | storage |
 * | get, version 0 or N | cache, once it has reached N | storage |
 * | list, no version | cache, once it has reached the storage's revision; storage when that takes too long | see below |
 * | list, version 0 or not older than N | cache, once it has reached N | see below |
 * | list, exactly N, or a next page | a past state of the cache; storage when there is none | see below |
 * | update, delete | storage, with the cache's object as a suggestion | the same |
 *
 * While the cache is not ready, a list with a limit and without a selector goes to the storage; all others wait for the cache.
 * If the storage does not support progress, the cache does not learn that it has reached N when nothing of its resource has
 * changed. Then the storage answers unless the cache has reached N already, and lists the state with which a watch begins. The
 * storage also answers while the cache is known to differ from it.
 * @see apiserver pkg/storage/cacher/delegator.go @ 24a394e
 */
export class CacheDelegator<T extends KubernetesObject> {
  readonly #options: CacheDelegatorOptions<T>;

  constructor(options: CacheDelegatorOptions<T>) {
    this.#options = options;
  }

  async get(key: string, options: StorageGetOptions = {}): Promise<StoredObject<T> | undefined> {
    const { storage, resourcePrefix, cache, readiness, consistent } = this.#options;
    const { resourceVersion = '', ignoreNotFound, signal } = options;
    if (resourceVersion === '' || readiness.state !== 'ready' || !consistent()) {
      return await storage.get(key, options);
    }
    const prepared = prepareKey(resourcePrefix, key, false);
    const revision = storage.versioner.parseResourceVersion(resourceVersion);
    const isShown = await this.#shows(revision, signal);
    if (!isShown || !consistent()) return await storage.get(key, options);
    const found = cache.get(prepared);
    if (found === undefined && ignoreNotFound !== true) {
      throw keyNotFound(prepared);
    }
    return found;
  }

  async getList(key: string, options: GetListOptions<T> = {}): Promise<StorageList<T>> {
    const cached = await this.#cachedList(key, options);
    if (cached === undefined) return await this.#options.storage.getList(key, options);
    return await readList(cached);
  }

  /** As `getList`. */
  async scan(key: string, options: GetListOptions<T> = {}): Promise<StorageScan<T>> {
    const cached = await this.#cachedList(key, options);
    if (cached === undefined) return await scanStorage(this.#options.storage, key, options);
    return await scanList(cached);
  }

  /** The answer of the cache to a list; undefined when the storage has to. */
  async #cachedList(
    key: string,
    options: GetListOptions<T>,
  ): Promise<ReadListOptions<T> | undefined> {
    const { storage, resourcePrefix, runtime } = this.#options;
    const scope = keyScope(resourcePrefix, key, options.recursive ?? true);
    const route = routeList(scope, options, storage.versioner);
    if (this.#goesPastCache(route, options)) return undefined;
    const page = await this.#pageOf(route, options);
    // A check may have found a difference while the cache was waited for.
    if (!this.#options.consistent()) return undefined;
    const { predicate, signal } = options;
    return page && { ...page, scope, predicate, runtime, signal };
  }

  /**
   * Waits until the cache has the state with which a watch begins; otherwise lists that state from the storage.
   * @throws {ApiError} 400; 504 for a state that is not reached; the storage's error if its list fails.
   */
  async watchStart(
    { path }: KeyScope,
    { resourceVersion = '', sendInitialEvents, ...options }: StorageWatchOptions<T>,
  ): Promise<WatchStart<T>> {
    const { storage, consistent } = this.#options;
    const { versioner } = storage;
    const { recursive, predicate, signal } = options;
    // No version, but a value for sendInitialEvents, means the present state.
    const fromNow = resourceVersion === '' && sendInitialEvents !== undefined;
    const asked = fromNow ? await storage.getCurrentResourceVersion() : resourceVersion;
    const revision = versioner.parseResourceVersion(asked);
    if (!(sendInitialEvents ?? revision === 0n)) return { revision };
    const anyState = sendInitialEvents === undefined;
    const isUsable = consistent() && (anyState || (await this.#shows(revision, signal)));
    if (isUsable && consistent()) return { revision };
    const notOlder = { resourceVersion, resourceVersionMatch: 'NotOlderThan' } as const;
    const which = resourceVersion === '' ? {} : notOlder;
    const listed = await storage.getList(path, { ...which, recursive, predicate, signal });
    return { revision: versioner.parseResourceVersion(listed.resourceVersion), listed };
  }

  async delete(key: string, options: StorageDeleteOptions<T> = {}): Promise<StoredObject<T>> {
    const cachedExisting = this.#suggestion(key) ?? options.cachedExisting;
    return await this.#options.storage.delete(key, { ...options, cachedExisting });
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options: GuaranteedUpdateOptions<T> = {},
  ): Promise<StoredObject<T>> {
    const cachedExisting = this.#newest(this.#suggestion(key), options.cachedExisting);
    return await this.#options.storage.guaranteedUpdate(key, tryUpdate, {
      ...options,
      cachedExisting,
    });
  }

  #goesPastCache(
    { source }: ListRoute,
    { limit = 0, predicate, leaveOutUnreadable = false }: GetListOptions<T>,
  ): boolean {
    const { readiness, consistentListFromCache, consistent } = this.#options;
    if (
      leaveOutUnreadable ||
      source === 'storage' ||
      (source === 'latest' && !consistentListFromCache)
    )
      return true;
    if (readiness.state === 'ready') return !consistent();
    // This list is cheap enough for the storage while the cache is being filled.
    return limit > 0 && predicateIsEmpty(predicate as SelectionPredicate);
  }

  /** Waits until the cache can answer, and returns the state to read; undefined when it cannot. */
  async #pageOf(
    route: ListRoute,
    { limit: asked = 0, resourceVersion, signal }: GetListOptions<T>,
  ): Promise<Page<T> | undefined> {
    const { cache, readiness } = this.#options;
    await readiness.wait(signal);
    // A list of any state is complete, also when it begins after a page; see computeListLimit of kube-apiserver's cacher.
    const limit = resourceVersion === '0' ? 0 : asked;
    switch (route.source) {
      case 'storage':
        return undefined;
      case 'cache': {
        if (!(await this.#shows(route.revision, signal))) return undefined;
        const { state, revision } = cache;
        return { state, revision, limit: route.revision === 0n ? 0 : limit };
      }
      case 'latest': {
        if (!(await this.#becomesLatest(signal))) return undefined;
        const { state, revision } = cache;
        return { state, revision, startKey: route.startKey, limit };
      }
      case 'exact': {
        const { revision, startKey } = route;
        const state = await this.#stateAt(revision, signal);
        return state && { state, revision, startKey, limit };
      }
    }
  }

  /** Waits until the cache has reached `revision`; false if it has not and no progress can be expected. @throws {ApiError} 504. */
  async #shows(revision: Revision, signal: AbortSignal | undefined): Promise<boolean> {
    const { storage, cache, freshness } = this.#options;
    if (revision <= cache.revision) return true;
    if (!storage.supportsProgress) return false;
    await freshness.waitFor(revision, signal);
    return true;
  }

  /** Waits until the cache has reached the storage's present revision; false if it does not in time. */
  async #becomesLatest(signal: AbortSignal | undefined): Promise<boolean> {
    const { storage, freshness, metrics, description } = this.#options;
    const current = await storage.getCurrentResourceVersion();
    let fallback = false;
    try {
      await freshness.waitFor(storage.versioner.parseResourceVersion(current), signal);
    } catch (error) {
      if (!isTooLargeResourceVersion(error)) throw error;
      fallback = true;
    }
    const labels = {
      ...resourceLabels(description),
      success: 'true',
      fallback: String(fallback),
    };
    metrics.count(watchCacheMetrics.consistentLists.name, 1, labels);
    return !fallback;
  }

  /** The state at a revision. A compacted revision is not served from memory either, so that all servers respond alike. */
  async #stateAt(
    revision: Revision,
    signal: AbortSignal | undefined,
  ): Promise<OrderedStore<StoreElement<T>> | undefined> {
    const { storage, resourcePrefix, cache } = this.#options;
    const state = cache.stateAt(revision);
    if (state === undefined) return undefined;
    const resourceVersion = storage.versioner.resourceVersionOf(revision);
    // No object is stored under the bare prefix, so this is the cheapest list.
    const probe = { recursive: false, resourceVersion, resourceVersionMatch: 'Exact' } as const;
    try {
      await storage.getList(resourcePrefix, { ...probe, signal });
    } catch (error) {
      if (isExpired(error)) return undefined;
      throw error;
    }
    return state;
  }

  #suggestion(key: string): StoredObject<T> | undefined {
    return this.#options.cache.get(key);
  }

  /** Of two objects of one state that of the caller, which has decoded it. */
  #newest(
    cached: StoredObject<T> | undefined,
    given: StoredObject<T> | undefined,
  ): StoredObject<T> | undefined {
    if (cached === undefined || given === undefined) return cached ?? given;
    const { versioner } = this.#options.storage;
    const isOlder =
      versioner.parseResourceVersion(given.resourceVersion) <
      versioner.parseResourceVersion(cached.resourceVersion);
    return isOlder ? cached : given;
  }
}
