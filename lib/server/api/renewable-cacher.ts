import type { UnstructuredObject } from '../../meta/object.ts';
import { Cacher } from '../cacher/cacher.ts';
import type { CacherOptions } from '../cacher/cacher-options.ts';
import type {
  CreateOptions,
  DeleteOptions,
  GetListOptions,
  GetOptions,
  GuaranteedUpdateOptions,
  StorageInterface,
  StorageList,
  StorageStats,
  StorageWatch,
  StorageWatchOptions,
  TryUpdate,
} from '../storage/storage-interface.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Versioner } from '../storage/versioner.ts';

type Stored = StoredObject<UnstructuredObject>;

/**
 * A cacher that can be made to forget: it is replaced by one that knows the present state and no history.
 *
 * Guarantees: it is filled on first use, not before. Watches that run when it is renewed end as at a server's restart, without
 * an error.
 */
export class RenewableCacher implements StorageInterface<UnstructuredObject>, AsyncDisposable {
  readonly versioner: Versioner;
  readonly #options: CacherOptions<UnstructuredObject>;
  readonly #onDispose: () => void;
  #cacher: Cacher<UnstructuredObject>;

  /** @param onDispose called when the cacher is of no use any more */
  constructor(options: CacherOptions<UnstructuredObject>, onDispose: () => void) {
    this.versioner = options.storage.versioner;
    this.#options = options;
    this.#onDispose = onDispose;
    this.#cacher = new Cacher(options);
  }

  /** Forgets all history. Resolves when the watches on the forgotten have ended. */
  async renew(): Promise<void> {
    const forgotten = this.#cacher;
    this.#cacher = new Cacher(this.#options);
    await forgotten.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#onDispose();
    await this.#cacher.stop();
  }

  async create(key: string, object: UnstructuredObject, options?: CreateOptions): Promise<Stored> {
    return await this.#cacher.create(key, object, options);
  }

  async delete(key: string, options?: DeleteOptions<UnstructuredObject>): Promise<Stored> {
    return await this.#cacher.delete(key, options);
  }

  async get(key: string, options?: GetOptions): Promise<Stored | undefined> {
    return await this.#cacher.get(key, options);
  }

  async getList(
    key: string,
    options?: GetListOptions<UnstructuredObject>,
  ): Promise<StorageList<UnstructuredObject>> {
    return await this.#cacher.getList(key, options);
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<UnstructuredObject>,
    options?: GuaranteedUpdateOptions<UnstructuredObject>,
  ): Promise<Stored> {
    return await this.#cacher.guaranteedUpdate(key, tryUpdate, options);
  }

  async watch(
    key: string,
    options?: StorageWatchOptions<UnstructuredObject>,
  ): Promise<StorageWatch<UnstructuredObject>> {
    return await this.#cacher.watch(key, options);
  }

  async stats(): Promise<StorageStats> {
    return await this.#cacher.stats();
  }

  async requestWatchProgress(): Promise<void> {
    await this.#cacher.requestWatchProgress();
  }

  async getCurrentResourceVersion(): Promise<string> {
    return await this.#cacher.getCurrentResourceVersion();
  }

  async compactRevision(): Promise<string | undefined> {
    return await this.#cacher.compactRevision();
  }

  async readinessCheck(): Promise<void> {
    await this.#cacher.readinessCheck();
  }
}
