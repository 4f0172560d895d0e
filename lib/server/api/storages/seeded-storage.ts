import { isListwatchError } from '../../../kernel/failure/errors.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { isAlreadyExists } from '../../../meta/failure/failures.ts';
import {
  scanStorage,
  type StorageCreateOptions,
  type StorageDeleteOptions,
  type GetListOptions,
  type StorageGetOptions,
  type GuaranteedUpdateOptions,
  type StorageInterface,
  type StorageList,
  type StorageScan,
  type StorageStats,
  type StorageWatch,
  type StorageWatchOptions,
  type TryUpdate,
} from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { Versioner } from '../../storage/contract/versioner.ts';
import type { ResourceStorage } from '../../registry/storage-factory.ts';

type Stored = StoredObject<UnstructuredObject>;

/** An object and its key in the storage. */
export interface Seed {
  readonly key: string;
  readonly object: UnstructuredObject;
}

export interface SeedsOptions {
  /** Where the seeds are stored. */
  readonly storage: StorageInterface<UnstructuredObject>;
  /** Called once, when they are needed. */
  readonly make: () => readonly Seed[];
  /** Called when they are stored, before any other operation on the resource. */
  readonly onStored: () => Promise<void>;
}

/**
 * The objects of one resource in a new storage. They are stored for the first operation on the resource, and most servers of a test
 * never need them: together they would take half of the time of a start.
 */
export class Seeds {
  readonly #options: SeedsOptions;
  #running: Promise<void> | undefined;
  #stored = false;

  constructor(options: SeedsOptions) {
    this.#options = options;
  }

  get stored(): boolean {
    return this.#stored;
  }

  /** Resolves when they are stored. @throws {ApiError} when the storage fails; the next call tries again. */
  async store(): Promise<void> {
    if (this.#stored) return;
    this.#running ??= this.#store();
    await this.#running;
  }

  async #store(): Promise<void> {
    const { storage, make, onStored } = this.#options;
    try {
      await Promise.all(make().map(({ key, object }) => createOnce(storage, key, object)));
      await onStored();
      this.#stored = true;
    } finally {
      this.#running = undefined;
    }
  }
}

/** An attempt that failed in the middle may have stored it. */
async function createOnce(
  storage: StorageInterface<UnstructuredObject>,
  key: string,
  object: UnstructuredObject,
): Promise<void> {
  try {
    await storage.create(key, object);
  } catch (error) {
    if (!isAlreadyExists(error) && !isListwatchError(error, 'KEY_EXISTS')) throw error;
  }
}

/** A storage in which the seeds of its resource are stored before the first operation. */
export class SeededStorage implements ResourceStorage {
  readonly #storage: ResourceStorage;
  readonly #seeds: Seeds;

  constructor(storage: ResourceStorage, seeds: Seeds) {
    this.#storage = storage;
    this.#seeds = seeds;
  }

  get uncached(): StorageInterface<UnstructuredObject> | undefined {
    const { uncached } = this.#storage;
    return uncached === undefined ? undefined : new SeededStorage(uncached, this.#seeds);
  }

  get versioner(): Versioner {
    return this.#storage.versioner;
  }

  get supportsProgress(): boolean {
    return this.#storage.supportsProgress;
  }

  create(key: string, object: UnstructuredObject, options?: StorageCreateOptions): Promise<Stored> {
    return this.#after(() => this.#storage.create(key, object, options));
  }

  delete(key: string, options?: StorageDeleteOptions<UnstructuredObject>): Promise<Stored> {
    return this.#after(() => this.#storage.delete(key, options));
  }

  get(key: string, options?: StorageGetOptions): Promise<Stored | undefined> {
    return this.#after(() => this.#storage.get(key, options));
  }

  getList(
    key: string,
    options?: GetListOptions<UnstructuredObject>,
  ): Promise<StorageList<UnstructuredObject>> {
    return this.#after(() => this.#storage.getList(key, options));
  }

  scan(
    key: string,
    options?: GetListOptions<UnstructuredObject>,
  ): Promise<StorageScan<UnstructuredObject>> {
    return this.#after(() => scanStorage(this.#storage, key, options));
  }

  guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<UnstructuredObject>,
    options?: GuaranteedUpdateOptions<UnstructuredObject>,
  ): Promise<Stored> {
    return this.#after(() => this.#storage.guaranteedUpdate(key, tryUpdate, options));
  }

  watch(
    key: string,
    options?: StorageWatchOptions<UnstructuredObject>,
  ): Promise<StorageWatch<UnstructuredObject>> {
    return this.#after(() => this.#storage.watch(key, options));
  }

  stats(): Promise<StorageStats> {
    return this.#after(() => this.#storage.stats());
  }

  enableResourceSizeEstimation(): void {
    this.#storage.enableResourceSizeEstimation();
  }

  requestWatchProgress(): Promise<void> {
    return this.#storage.requestWatchProgress();
  }

  getCurrentResourceVersion(): Promise<string> {
    return this.#after(() => this.#storage.getCurrentResourceVersion());
  }

  compactRevision(): Promise<string | undefined> {
    return this.#storage.compactRevision();
  }

  readinessCheck(): Promise<void> {
    return this.#after(() => this.#storage.readinessCheck());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage[Symbol.asyncDispose]?.();
  }

  #after<R>(operation: () => Promise<R>): Promise<R> {
    return this.#seeds.stored ? operation() : this.#first(operation);
  }

  /** Waits for the seeds, unlike later operations. */
  async #first<R>(operation: () => Promise<R>): Promise<R> {
    await this.#seeds.store();
    return await operation();
  }
}
