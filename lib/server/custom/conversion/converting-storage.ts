import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import type {
  StorageCreateOptions,
  StorageDeleteOptions,
  GetListOptions,
  StorageGetOptions,
  GuaranteedUpdateOptions,
  StorageInterface,
  StorageList,
  StorageStats,
  StorageWatch,
  StorageWatchOptions,
  TryUpdate,
} from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { Versioner } from '../../storage/contract/versioner.ts';
import { DerivedObject } from '../../registry/rules/derived-object.ts';
import { ConversionsAhead } from './conversions-ahead.ts';
import type { StoredForm } from './stored-form.ts';

type Storage = StorageInterface<UnstructuredObject>;
type Stored = StoredObject<UnstructuredObject>;

export interface ConvertingStorageOptions {
  readonly storage: Storage;
  readonly form: StoredForm;
}

/**
 * The objects of a storage in another form than they are stored in, such as another version: converted when they are read and written.
 *
 * Guarantees:
 * - A stored state is converted once for all lists and watches of this storage, as long as it is in memory.
 * - Selectors are decided by the stored form.
 * - A conversion that fails is an error of its caller only.
 */
export class ConvertingStorage implements Storage {
  readonly #form: StoredForm;
  readonly #storage: Storage;
  readonly #converted = new WeakMap<Stored, Stored>();

  constructor(options: ConvertingStorageOptions) {
    this.#form = options.form;
    this.#storage = options.storage;
  }

  get versioner(): Versioner {
    return this.#storage.versioner;
  }

  get supportsProgress(): boolean {
    return this.#storage.supportsProgress;
  }

  async create(
    key: string,
    object: UnstructuredObject,
    options: StorageCreateOptions = {},
  ): Promise<Stored> {
    const stored = await this.#form.store(object, options.signal);
    return await this.#one(await this.#storage.create(key, stored, options), options.signal);
  }

  async get(key: string, options: StorageGetOptions = {}): Promise<Stored | undefined> {
    const stored = await this.#storage.get(key, options);
    return stored === undefined ? undefined : await this.#one(stored, options.signal);
  }

  async getList(
    key: string,
    options: GetListOptions<UnstructuredObject> = {},
  ): Promise<StorageList<UnstructuredObject>> {
    const list = await this.#storage.getList(key, options);
    return { ...list, items: await this.#all(list.items, options.signal) };
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<UnstructuredObject>,
    options: GuaranteedUpdateOptions<UnstructuredObject> = {},
  ): Promise<Stored> {
    const { signal } = options;
    const inStored: TryUpdate<UnstructuredObject> = async (input) => {
      const stored = input.stored && (await this.#one(input.stored, signal));
      const output = await tryUpdate({ existing: stored?.copy(), stored });
      return { ...output, object: await this.#form.store(output.object, signal) };
    };
    // The result of a caller is in another form.
    const asked = { ...options, cachedExisting: undefined };
    return await this.#one(await this.#storage.guaranteedUpdate(key, inStored, asked), signal);
  }

  async delete(
    key: string,
    options: StorageDeleteOptions<UnstructuredObject> = {},
  ): Promise<Stored> {
    const { validate, signal, onlyIfUnreadable } = options;
    // The deletion must not happen if its answer cannot be converted.
    const check = async (object: UnstructuredObject): Promise<void> => {
      const converted = await this.#form.read([object], signal);
      await validate?.(converted[0] as UnstructuredObject);
    };
    const asked = { ...options, validate: check, cachedExisting: undefined };
    const deleted = await this.#storage.delete(key, asked);
    return onlyIfUnreadable === true ? deleted : await this.#one(deleted, signal);
  }

  async watch(
    key: string,
    options: StorageWatchOptions<UnstructuredObject> = {},
  ): Promise<StorageWatch<UnstructuredObject>> {
    const watch = await this.#storage.watch(key, options);
    return {
      destroy: () => {
        watch.destroy();
      },
      [Symbol.asyncIterator]: () =>
        new ConversionsAhead(watch, (batch) => this.#events(batch, options.signal)),
    };
  }

  async #events(
    batch: readonly WatchEvent<Stored>[],
    signal: AbortSignal | undefined,
  ): Promise<readonly WatchEvent<Stored>[]> {
    const changes = batch.filter(
      (event): event is ObjectEvent<Stored> => event.type !== 'BOOKMARK',
    );
    if (changes.length === 0) return batch;
    const objects = await this.#all(
      changes.map(({ object }) => object),
      signal,
    );
    let next = 0;
    return batch.map((event) =>
      event.type === 'BOOKMARK' ? event : { type: event.type, object: objects[next++] as Stored },
    );
  }

  async stats(): Promise<StorageStats> {
    return await this.#storage.stats();
  }

  enableResourceSizeEstimation(): void {
    this.#storage.enableResourceSizeEstimation();
  }

  async requestWatchProgress(): Promise<void> {
    await this.#storage.requestWatchProgress();
  }

  async getCurrentResourceVersion(): Promise<string> {
    return await this.#storage.getCurrentResourceVersion();
  }

  async compactRevision(): Promise<string | undefined> {
    return await this.#storage.compactRevision();
  }

  async readinessCheck(): Promise<void> {
    await this.#storage.readinessCheck();
  }

  async #one(stored: Stored, signal: AbortSignal | undefined): Promise<Stored> {
    const [converted] = await this.#all([stored], signal);
    return converted as Stored;
  }

  /** Awaits at most one conversion: of the objects that were not converted before. */
  async #all(items: readonly Stored[], signal: AbortSignal | undefined): Promise<Stored[]> {
    const missing = items.filter((item) => this.#form.differs(item) && !this.#converted.has(item));
    if (missing.length > 0) {
      const objects = await this.#form.read(
        missing.map(({ object }) => object),
        signal,
      );
      for (const [index, item] of missing.entries()) {
        const object = objects[index] as UnstructuredObject;
        const same = object === item.object;
        this.#converted.set(item, same ? item : new DerivedObject(item.key, object));
      }
    }
    return items.map((item) => this.#converted.get(item) ?? item);
  }
}
