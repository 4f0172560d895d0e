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
import type { StorageInterface } from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';
import { closedAfter } from './closed-after.ts';

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
