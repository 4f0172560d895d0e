import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { tooLargeResourceVersion } from '../../meta/failure/failures.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import { prefixEnd, type KeyValueStore, type Revision } from '../mvcc/contract/key-value-store.ts';
import { jsonCodec, type Codec } from './value/codec.ts';
import { LeaseManager } from './writes/lease-manager.ts';
import { listObjects } from './reads/list-objects.ts';
import { keyNotFound, ObjectAccess, type ObjectState, type Swap } from './reads/object-access.ts';
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
  UpdateOutput,
} from './contract/storage-interface.ts';
import { prepareKey, prepareResourcePrefix } from './contract/storage-keys.ts';
import { RawStorageWatch } from './reads/raw-storage-watch.ts';
import type { StoredObject } from './contract/stored-object.ts';
import { identityTransformer, type Transformer } from './value/transformer.ts';
import { apiObjectVersioner, parseListVersion, type Versioner } from './contract/versioner.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { checkPreconditions } from './contract/preconditions.ts';

/**
 * The compare-and-swap loop of a deletion. Awaits between read and write; the comparison in the transaction makes that safe.
 * A refusal that is based on the state of a cache is checked against the live state before it is reported.
 * @see apiserver pkg/storage/etcd3/store.go conditionalDelete @ 24a394e
 */
async function conditionalDelete<T extends KubernetesObject>(
  access: ObjectAccess<T>,
  key: string,
  { preconditions, validate, cachedExisting, guard, signal }: StorageDeleteOptions<T>,
): Promise<StoredObject<T>> {
  let live = cachedExisting === undefined;
  let state =
    cachedExisting === undefined
      ? await access.readExisting(key)
      : access.stateFromCache(key, cachedExisting);
  for (;;) {
    signal?.throwIfAborted();
    try {
      checkPreconditions(key, preconditions, state.stored);
      await validate?.(state.stored.object);
    } catch (error) {
      if (live) throw error;
      const guess = state;
      state = await access.readExisting(key);
      live = true;
      if (state.revision === guess.revision) throw error;
      continue;
    }
    const swap = await access.swapDelete(key, state.revision, guard);
    if (swap.swapped) return access.storedObject(key, state.stored.value, swap.revision);
    if (swap.kv === undefined) throw keyNotFound(key);
    state = await access.stateOf(swap.kv);
    live = true;
  }
}

/** An object whose value cannot be read: its key and a resource version. */
class LostObject<T extends KubernetesObject> implements StoredObject<T> {
  readonly key: string;
  readonly resourceVersion: string;

  constructor(key: string, resourceVersion: string) {
    this.key = key;
    this.resourceVersion = resourceVersion;
  }

  get metadata(): ObjectMeta {
    return { resourceVersion: this.resourceVersion };
  }

  get object(): T {
    return this.copy();
  }

  get bytes(): Uint8Array {
    return Buffer.from(JSON.stringify({ metadata: this.metadata }), 'utf8');
  }

  copy(): T {
    return { metadata: { resourceVersion: this.resourceVersion } } as T;
  }
}

/**
 * The compare-and-swap loop that removes an unreadable object. Awaits between read and write. If another client repairs the
 * object in between, the comparison fails, the object is found readable and stays.
 * @see apiserver pkg/storage/etcd3/store.go conditionalDelete, ExpectTransformOrDecodeError @ 24a394e
 */
async function deleteUnreadable<T extends KubernetesObject>(
  access: ObjectAccess<T>,
  key: string,
  { validate, guard, signal }: StorageDeleteOptions<T>,
): Promise<StoredObject<T>> {
  const { versioner } = access;
  let kv = await access.readValue(key);
  for (;;) {
    signal?.throwIfAborted();
    if (kv === undefined) throw keyNotFound(key);
    if (await access.isReadable(kv)) {
      throw new StorageError(
        'INVALID_OBJECT',
        key,
        'the object can be read: delete it the usual way',
      );
    }
    await validate?.(new LostObject<T>(key, versioner.resourceVersionOf(kv.modRevision)).object);
    const swap = await access.swapDelete(key, kv.modRevision, guard);
    if (swap.swapped) return new LostObject(key, versioner.resourceVersionOf(swap.revision));
    kv = swap.kv;
  }
}

interface UpdateRequest<T extends KubernetesObject> {
  readonly key: string;
  readonly tryUpdate: TryUpdate<T>;
  readonly options: GuaranteedUpdateOptions<T>;
}

/**
 * The compare-and-swap loop of an update. Awaits between read and write; the comparison in the transaction makes that safe.
 *
 * It may start from the state of a cache. That state may be old, so a failed precondition, an error of `tryUpdate` and an
 * unchanged object are each checked against the live state first.
 * @see apiserver pkg/storage/etcd3/store.go GuaranteedUpdate @ 24a394e
 */
async function guaranteedUpdate<T extends KubernetesObject>(
  access: ObjectAccess<T>,
  leases: LeaseManager,
  { key, tryUpdate, options }: UpdateRequest<T>,
): Promise<StoredObject<T>> {
  const { ignoreNotFound = false, preconditions, cachedExisting, guard, signal } = options;
  const readLive = (): Promise<ObjectState<T> | undefined> =>
    ignoreNotFound ? access.read(key) : access.readExisting(key);
  let live = cachedExisting === undefined;
  let state =
    cachedExisting === undefined ? await readLive() : access.stateFromCache(key, cachedExisting);
  for (;;) {
    signal?.throwIfAborted();
    let output: UpdateOutput<T>;
    try {
      checkPreconditions(key, preconditions, state?.stored);
      output = await tryUpdate({ existing: state?.stored.copy(), stored: state?.stored });
    } catch (error) {
      if (live) throw error;
      const guess = state;
      state = await readLive();
      live = true;
      if (state?.revision === guess?.revision) throw error;
      continue;
    }
    const data = access.codec.encode(output.object);
    if (isCurrentForm(state, data)) {
      if (!live) {
        state = await readLive();
        live = true;
        if (!hasBytes(state, data)) continue;
      }
      if (state !== undefined && isCurrentForm(state, data)) return state.stored;
    }
    // A write that changes only the stored form keeps the expiry of the object.
    const sameContent = output.ttlSeconds === undefined && hasBytes(state, data);
    const lease = sameContent ? (state?.lease ?? 0n) : await leases.leaseFor(output.ttlSeconds);
    let swap: Swap;
    try {
      swap = await access.swap(key, state?.revision ?? 0n, data, lease, guard);
    } catch (error) {
      if (!sameContent || !isListwatchError(error, 'LEASE_NOT_FOUND')) throw error;
      // The lease of the object ended in the meantime.
      state = await readLive();
      continue;
    }
    if (swap.swapped) return access.storedObject(key, data, swap.revision);
    state = swap.kv && (await access.stateOf(swap.kv));
    live = true;
    if (state === undefined && !ignoreNotFound) throw keyNotFound(key);
  }
}

function hasBytes<T extends KubernetesObject>(
  state: ObjectState<T> | undefined,
  data: Uint8Array,
): boolean {
  return state !== undefined && Buffer.compare(state.stored.value, data) === 0;
}

/** Whether `data` is stored already, in the form in which it would be written. */
function isCurrentForm<T extends KubernetesObject>(
  state: ObjectState<T> | undefined,
  data: Uint8Array,
): boolean {
  return hasBytes(state, data) && state?.stale === false;
}

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
    if (this.versioner.revisionOf(object) !== 0n) {
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
