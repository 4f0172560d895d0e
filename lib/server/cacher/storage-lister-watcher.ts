import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { SelectionPredicate } from '../storage/contract/selection-predicate.ts';
import type { StorageInterface, StorageWatch } from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';
import type { Revision } from '../mvcc/contract/key-value-store.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';

/** The watch, but it ends at its timeout, as a server ends it. */
export function closedAfter<T extends KubernetesObject>(
  runtime: Runtime,
  timeoutMs: number,
  watch: StorageWatch<T>,
): WatchStream<StoredObject<T>> {
  const timer = runtime.setTimer(
    timeoutMs,
    () => {
      watch.destroy();
    },
    { background: true },
  );
  type Batch = readonly WatchEvent<StoredObject<T>>[];
  return {
    [Symbol.asyncIterator]: (): AsyncIterator<Batch, undefined> => {
      const source = watch[Symbol.asyncIterator]();
      return {
        next: async (): Promise<IteratorResult<Batch, undefined>> => {
          try {
            const result = await source.next();
            if (result.done !== true) return { done: false, value: result.value };
          } catch (error) {
            timer.cancel();
            throw error;
          }
          timer.cancel();
          return { done: true, value: undefined };
        },
        return: (): Promise<IteratorResult<Batch, undefined>> => {
          timer.cancel();
          watch.destroy();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

/**
 * Longest history that is read, in revisions of the whole storage. Reading it takes about a second, well below the time that a
 * reader waits for the cache; a window seldom keeps more.
 */
const MAX_REVISIONS = 50_000n;

interface HistoryListerWatcherOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  /** The present state, and the changes after it. */
  readonly source: StorageListerWatcher<T>;
  /** The resource version at which history should begin. Left out: at the first list. */
  readonly historyFrom: string | undefined;
}

/**
 * Lists an old state first, so that the watch after it brings the history since then. Later lists return the present state.
 * History that was compacted, or that is longer than 50 000 revisions, is left out.
 */
export class HistoryListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<StoredObject<T>>
{
  readonly description: string;
  readonly #options: HistoryListerWatcherOptions<T>;
  /** Present until the first list has succeeded. A list that fails begins again, with what history is left. */
  #historyFrom: string | undefined;
  #present: Revision = 0n;

  constructor(options: HistoryListerWatcherOptions<T>) {
    this.description = options.source.description;
    this.#options = options;
    this.#historyFrom = options.historyFrom;
  }

  /** Reads show the state of the time of the first list from this revision on. 0: with the list. */
  get present(): Revision {
    return this.#present;
  }

  async list(request: ListRequest): Promise<ListPage<StoredObject<T>>> {
    if (this.#historyFrom === undefined) return await this.#options.source.list(request);
    const page = await this.#listOld(this.#historyFrom, request);
    if (page.continueToken === undefined) this.#historyFrom = undefined;
    return page;
  }

  async watch(request: WatchRequest): Promise<WatchStream<StoredObject<T>>> {
    const { source, storage } = this.#options;
    const stream = await source.watch(request);
    // If the last changes were those of other resources, only progress shows that the present is reached.
    if (storage.versioner.parseResourceVersion(request.resourceVersion) < this.#present) {
      await storage.requestWatchProgress();
    }
    return stream;
  }

  async #listOld(
    historyFrom: string,
    { limit, continueToken, signal }: ListRequest,
  ): Promise<ListPage<StoredObject<T>>> {
    const { storage, resourcePrefix } = this.#options;
    const oldest = continueToken === undefined ? await this.#oldest(historyFrom) : undefined;
    const state =
      oldest === undefined
        ? {}
        : ({ resourceVersion: oldest, resourceVersionMatch: 'Exact' } as const);
    const page = { limit, continueToken, signal, mayEndEarly: true };
    return await storage.getList(resourcePrefix, { ...state, ...page });
  }

  /** The version to list; undefined for the present one. */
  async #oldest(historyFrom: string): Promise<string | undefined> {
    const { storage } = this.#options;
    const { versioner } = storage;
    const current = await storage.getCurrentResourceVersion();
    const compacted = versioner.parseResourceVersion(await storage.compactRevision());
    this.#present = versioner.parseResourceVersion(current);
    let oldest = versioner.parseResourceVersion(historyFrom);
    if (oldest < compacted) oldest = compacted;
    if (oldest < this.#present - MAX_REVISIONS) oldest = this.#present - MAX_REVISIONS;
    return oldest > 0n && oldest < this.#present ? versioner.resourceVersionOf(oldest) : undefined;
  }
}

/** How the reflector of a watch cache reads the storage. */
export const READING_OF_STORAGE: {
  readonly watchList: false;
  readonly onRefused: 'retry';
  readonly pageSize: number;
  readonly backoff: { readonly capMs: number };
} = {
  watchList: false,
  onRefused: 'retry',
  /** Number of objects in a page (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
  pageSize: 10_000,
  /**
   * A cache whose list failed, e.g. at an object that cannot be read, lists again within about a second: what is repaired is
   * soon served. @see apiserver pkg/storage/cacher/cacher.go NewCacherFromConfig, the period of startCaching @ v0.36.3
   */
  backoff: { capMs: 1_000 },
};

export interface StorageListerWatcherOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  /** The storage prefix of the resource, e.g. `/registry/pods/`. */
  readonly resourcePrefix: string;
  /** Selects one namespace. Left out: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  /** Selects the objects that match. */
  readonly predicate?: SelectionPredicate<T> | undefined;
  /**
   * Lists return the most recent state, regardless of the requested version. For a reader of the raw storage, where a version with
   * a limit means exactly that old state.
   * @defaultValue false
   */
  readonly alwaysLatest?: boolean | undefined;
  /** The name of the collection in messages. @defaultValue the key prefix */
  readonly description?: string | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<StorageListerWatcherOptions<KubernetesObject>>()('StorageListerWatcher', {
  storage: is.methods('a storage', 'getList', 'watch').required,
  resourcePrefix: is.text().required,
  namespace: is.text(),
  predicate: is.object(),
  alwaysLatest: is.flag(),
  description: is.text(),
  runtime: is.object().default(realRuntime),
});

/**
 * Lists and watches a collection directly in a storage, raw or cached, without HTTP.
 *
 * It returns the `StoredObject`s of the storage, which all readers share. An informer over it decodes an object only when a
 * handler reads more than its metadata.
 */
export class StorageListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<StoredObject<T>>
{
  readonly description: string;
  readonly #options: StorageListerWatcherOptions<T>;
  readonly #runtime: Runtime;
  readonly #key: string;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: StorageListerWatcherOptions<T>) {
    const { resourcePrefix, namespace, description, runtime } = OPTIONS.read(options);
    const prefix = resourcePrefix.endsWith('/') ? resourcePrefix : `${resourcePrefix}/`;
    this.#options = options;
    this.#runtime = runtime;
    this.#key = namespace === undefined || namespace === '' ? prefix : `${prefix}${namespace}/`;
    this.description = description ?? this.#key;
  }

  async list(request: ListRequest): Promise<ListPage<StoredObject<T>>> {
    const { storage, predicate, alwaysLatest = false } = this.#options;
    const { limit, continueToken, signal } = request;
    const asked = alwaysLatest ? { limit, continueToken, signal } : request;
    // A reader with a limit reads all pages.
    return await storage.getList(this.#key, { ...asked, predicate, mayEndEarly: true });
  }

  async watch(request: WatchRequest): Promise<WatchStream<StoredObject<T>>> {
    const { storage, predicate } = this.#options;
    const { resourceVersion, sendInitialEvents, allowWatchBookmarks, timeoutSeconds, signal } =
      request;
    const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
    const watch = await storage.watch(this.#key, {
      resourceVersion,
      sendInitialEvents,
      predicate,
      progressNotify: allowWatchBookmarks,
      deadlineMonotonicMs:
        timeoutMs === undefined ? undefined : this.#runtime.monotonicMs() + timeoutMs,
      signal,
    });
    return timeoutMs === undefined ? watch : closedAfter(this.#runtime, timeoutMs, watch);
  }
}
