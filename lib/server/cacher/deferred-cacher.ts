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
import type { Cacher } from './cacher.ts';

export interface DeferredCacherOptions<T extends KubernetesObject> {
  /** The storage behind the cacher. */
  readonly storage: StorageInterface<T>;
  /** Makes the cacher; called once at most. */
  readonly make: () => Cacher<T>;
}

/**
 * A storage whose cacher is made for its first reader: a list, a watch, or a read of a version. Until then the storage answers, so a
 * resource that is not used costs neither time nor memory.
 *
 * For an engine in the same process: the cacher that `make` returns has to read the history since the start (`Cacher.startLater`).
 */
export class DeferredCacher<T extends KubernetesObject>
  implements StorageInterface<T>, AsyncDisposable
{
  readonly #storage: StorageInterface<T>;
  readonly #make: () => Cacher<T>;
  #cacher: Cacher<T> | undefined;
  #stopped = false;

  constructor({ storage, make }: DeferredCacherOptions<T>) {
    this.#storage = storage;
    this.#make = make;
  }

  /** Undefined before the first reader. */
  get cacher(): Cacher<T> | undefined {
    return this.#cacher;
  }

  /** The storage itself, for a reader for whom no cacher has to be made. */
  get uncached(): StorageInterface<T> {
    return this.#storage;
  }

  /** Whether `stop` was called. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get versioner(): Versioner {
    return this.#storage.versioner;
  }

  get supportsProgress(): boolean {
    return this.#storage.supportsProgress;
  }

  create(key: string, object: T, options?: StorageCreateOptions): Promise<StoredObject<T>> {
    return this.#present.create(key, object, options);
  }

  delete(key: string, options?: StorageDeleteOptions<T>): Promise<StoredObject<T>> {
    return this.#present.delete(key, options);
  }

  get(key: string, options?: StorageGetOptions): Promise<StoredObject<T> | undefined> {
    const storage = (options?.resourceVersion ?? '') === '' ? this.#present : this.#reading();
    return storage.get(key, options);
  }

  getList(key: string, options?: GetListOptions<T>): Promise<StorageList<T>> {
    return this.#reading().getList(key, options);
  }

  scan(key: string, options?: GetListOptions<T>): Promise<StorageScan<T>> {
    return this.#reading().scan(key, options);
  }

  guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options?: GuaranteedUpdateOptions<T>,
  ): Promise<StoredObject<T>> {
    return this.#present.guaranteedUpdate(key, tryUpdate, options);
  }

  watch(key: string, options?: StorageWatchOptions<T>): Promise<StorageWatch<T>> {
    return this.#reading().watch(key, options);
  }

  stats(): Promise<StorageStats> {
    return this.#storage.stats();
  }

  enableResourceSizeEstimation(): void {
    this.#storage.enableResourceSizeEstimation();
  }

  requestWatchProgress(): Promise<void> {
    return this.#storage.requestWatchProgress();
  }

  getCurrentResourceVersion(): Promise<string> {
    return this.#storage.getCurrentResourceVersion();
  }

  compactRevision(): Promise<string | undefined> {
    return this.#storage.compactRevision();
  }

  readinessCheck(): Promise<void> {
    return this.#reading().readinessCheck();
  }

  /** Stops the cacher, if there is one; a later reader gets what a stopped cacher answers. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.#cacher?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #present(): StorageInterface<T> {
    return this.#cacher ?? this.#storage;
  }

  #reading(): Cacher<T> {
    if (this.#cacher === undefined) {
      this.#cacher = this.#make();
      // It has not been started, so nothing is left to wait for.
      if (this.#stopped) void this.#cacher.close();
    }
    return this.#cacher;
  }
}
