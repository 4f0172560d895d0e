import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Revision } from '../mvcc/contract/key-value-store.ts';
import type { StorageInterface } from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';
import type { StorageListerWatcher } from './storage-lister-watcher.ts';

/**
 * Longest history that is read, in revisions of the whole storage. Reading it takes about a second, well below the time that a
 * reader waits for the cache; a window seldom keeps more.
 */
const MAX_REVISIONS = 50_000n;

export interface HistoryListerWatcherOptions<T extends KubernetesObject> {
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
