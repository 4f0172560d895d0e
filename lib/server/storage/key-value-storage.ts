import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { tooLargeResourceVersion } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { prefixEnd, type KeyValueStore, type Revision } from '../mvcc/contract/key-value-store.ts';
import { jsonCodec, type Codec } from './value/codec.ts';
import { LeaseManager } from './writes/lease-manager.ts';
import { listObjects } from './reads/list-objects.ts';
import { keyNotFound, ObjectAccess } from './reads/object-access.ts';
import { ObjectSizes } from './value/object-sizes.ts';
import { StorageError } from './contract/storage-error.ts';
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
} from './contract/storage-interface.ts';
import { prepareKey, prepareResourcePrefix } from './contract/storage-keys.ts';
import { RawStorageWatch } from './reads/raw-storage-watch.ts';
import type { StoredObject } from './contract/stored-object.ts';
import { identityTransformer, type Transformer } from './value/transformer.ts';
import {
  apiObjectVersioner,
  parseListVersion,
  resourceVersionFailure,
  type Versioner,
} from './contract/versioner.ts';
import {
  conditionalDelete,
  deleteUnreadable,
  guaranteedUpdate,
} from './writes/guaranteed-update.ts';

/** @experimental */
export interface KeyValueStorageOptions<T extends KubernetesObject> {
  readonly store: KeyValueStore;
  /** The key prefix of the objects, e.g. `/registry/pods/`. */
  readonly resourcePrefix: string;
  /** @defaultValue JSON with sorted fields */
  readonly codec?: Codec<T> | undefined;
  /** @defaultValue values are stored as they are */
  readonly transformer?: Transformer | undefined;
  /** @defaultValue revisions as decimal numbers */
  readonly versioner?: Versioner | undefined;
  /** @defaultValue the real clock */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<KeyValueStorageOptions<KubernetesObject>>()('KeyValueStorage', {
  store: is.methods('a KeyValueStore', 'range', 'txn', 'watch').required,
  resourcePrefix: is.text().required,
  codec: is.methods('a codec', 'encode', 'decode'),
  transformer: is.object().default(identityTransformer),
  versioner: is.object().default(apiObjectVersioner),
  runtime: is.object().default(realRuntime),
});

/**
 * The raw storage of one resource: every call goes to the key-value engine.
 *
 * Guarantees:
 * - Reads without a resource version are linearizable with all completed writes.
 * - A resource version is the engine's revision of the last change; it is never stored in the value.
 * - Writes are compare-and-swap: a writer never overwrites a concurrent write without having read it.
 * - A watch delivers every change after its start once and in order, or fails with 410.
 * - Every returned object can be decoded. Values that cannot be decoded are reported, and stay until they are deleted explicitly.
 *
 * @experimental
 */
export class KeyValueStorage<T extends KubernetesObject = KubernetesObject>
  implements StorageInterface<T>
{
  readonly versioner: Versioner;
  readonly resourcePrefix: string;
  readonly #store: KeyValueStore;
  readonly #access: ObjectAccess<T>;
  readonly #leases: LeaseManager;
  readonly #runtime: Runtime;
  readonly #watches = new Set<RawStorageWatch<T>>();

  /** @throws {StorageError} INVALID_KEY when the resource prefix is empty. @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: KeyValueStorageOptions<T>) {
    const { store, resourcePrefix, codec, transformer, versioner, runtime } =
      OPTIONS.read<KeyValueStorageOptions<T>>(options);
    this.versioner = versioner;
    this.resourcePrefix = prepareResourcePrefix(resourcePrefix);
    this.#store = store;
    this.#runtime = runtime;
    this.#leases = new LeaseManager(store, runtime);
    this.#access = new ObjectAccess({
      store,
      versioner,
      codec: codec ?? jsonCodec<T>(),
      transformer,
    });
  }

  get supportsProgress(): boolean {
    return this.#store.supportsProgress;
  }

  async create(
    key: string,
    object: T,
    options: StorageCreateOptions = {},
  ): Promise<StoredObject<T>> {
    const prepared = this.#prepare(key);
    if (hasRevision(object)) {
      throw new StorageError(
        'RESOURCE_VERSION_SET',
        prepared,
        'resourceVersion should not be set on objects to be created',
      );
    }
    const data = this.#access.codec.encode(object);
    const lease = await this.#leases.leaseFor(options.ttlSeconds);
    options.signal?.throwIfAborted();
    const swap = await this.#access.swap(prepared, 0n, data, lease, options.guard);
    if (swap.swapped) return this.#access.storedObject(prepared, data, swap.revision);
    throw new StorageError('KEY_EXISTS', prepared, 'an object is stored under this key already');
  }

  async delete(key: string, options: StorageDeleteOptions<T> = {}): Promise<StoredObject<T>> {
    const remove = options.onlyIfUnreadable === true ? deleteUnreadable<T> : conditionalDelete<T>;
    return await remove(this.#access, this.#prepare(key), options);
  }

  async get(key: string, options: StorageGetOptions = {}): Promise<StoredObject<T> | undefined> {
    const prepared = this.#prepare(key);
    const { resourceVersion = '' } = options;
    const notOlderThan = parseListVersion(this.versioner, resourceVersion);
    options.signal?.throwIfAborted();
    const { items, revision } = await this.#store.range({ key: prepared });
    if (notOlderThan > revision) throw this.#tooLarge(notOlderThan, revision);
    const kv = items[0];
    if (kv !== undefined) return (await this.#access.stateOf(kv)).stored;
    if (options.ignoreNotFound === true) return undefined;
    throw keyNotFound(prepared);
  }

  async getList(key: string, options: GetListOptions<T> = {}): Promise<StorageList<T>> {
    const prepared = this.#prepare(key, options.recursive ?? true);
    return await listObjects(this.#access, this.#runtime, { key: prepared, options });
  }

  async guaranteedUpdate(
    key: string,
    tryUpdate: TryUpdate<T>,
    options: GuaranteedUpdateOptions<T> = {},
  ): Promise<StoredObject<T>> {
    const prepared = this.#prepare(key);
    return await guaranteedUpdate(this.#access, this.#leases, {
      key: prepared,
      tryUpdate,
      options,
    });
  }

  async watch(key: string, options: StorageWatchOptions<T> = {}): Promise<StorageWatch<T>> {
    const prepared = this.#prepare(key, options.recursive ?? true);
    this.versioner.parseResourceVersion(options.resourceVersion);
    const watch = new RawStorageWatch(this.#access, { key: prepared, options }, (ended) => {
      this.#watches.delete(ended);
    });
    this.#watches.add(watch);
    await watch.open();
    return watch;
  }

  async stats(): Promise<StorageStats> {
    const range = { key: this.resourcePrefix, rangeEnd: prefixEnd(this.resourcePrefix) };
    const { count } = await this.#store.range({ ...range, countOnly: true });
    const { sizes } = this.#access;
    if (sizes === undefined) return { objectCount: count };
    if (sizes.count > count) {
      // Other clients may have deleted objects, and this storage may have no watch that would show it.
      const { items, revision } = await this.#store.range({ ...range, keysOnly: true });
      sizes.retain(
        items.map((kv) => kv.key),
        revision,
      );
    }
    const average = sizes.averageBytes;
    return {
      objectCount: count,
      averageSizeBytes: Math.round(average),
      totalSizeBytes: Math.round(average * count),
    };
  }

  enableResourceSizeEstimation(): void {
    this.#access.sizes ??= new ObjectSizes();
  }

  async requestWatchProgress(): Promise<void> {
    await Promise.all([...this.#watches].map((watch) => watch.requestProgress()));
  }

  /** Uses a linearizable read, so the result covers every write that was acknowledged before the call. */
  async getCurrentResourceVersion(): Promise<string> {
    const { revision } = await this.#store.range({ key: this.resourcePrefix });
    return this.versioner.resourceVersionOf(revision);
  }

  async compactRevision(): Promise<string | undefined> {
    const { compactedRevision } = await this.#store.status();
    if (compactedRevision === 0n) return undefined;
    return this.versioner.resourceVersionOf(compactedRevision);
  }

  /** The raw storage is always ready; if the engine fails, the calls themselves fail. */
  async readinessCheck(): Promise<void> {}

  #prepare(key: string, recursive: boolean = false): string {
    return prepareKey(this.resourcePrefix, key, recursive);
  }

  #tooLarge(asked: Revision, current: Revision): Error {
    const { versioner } = this;
    return tooLargeResourceVersion(
      versioner.resourceVersionOf(asked),
      versioner.resourceVersionOf(current),
    );
  }
}

/** Whether an object says which version it has. Text that is no version says nothing, as in kube-apiserver. */
function hasRevision({ metadata }: KubernetesObject): boolean {
  const text = metadata?.resourceVersion ?? '';
  return text !== '' && resourceVersionFailure(text) === undefined && BigInt(text) !== 0n;
}
