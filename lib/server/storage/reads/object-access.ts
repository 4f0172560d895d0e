import { errorMessage, isListwatchError } from '../../../kernel/failure/errors.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type {
  Compare,
  KeyValue,
  KeyValueStore,
  TxnOperation,
  Revision,
  TxnResponse,
} from '../../mvcc/contract/key-value-store.ts';
import type { Codec } from '../value/codec.ts';
import { isEncodedText } from '../value/encoded-text.ts';
import { JsonStoredObject } from '../value/json-stored-object.ts';
import type { ObjectSizes } from '../value/object-sizes.ts';
import { isStorageError, StorageError } from '../contract/storage-error.ts';
import type { StorageGuard } from '../contract/storage-guard.ts';
import type { StoredObject } from '../contract/stored-object.ts';
import type { PlainValue, Transformer } from '../value/transformer.ts';
import type { Versioner } from '../contract/versioner.ts';

/** The result of reading one key. */
export interface ObjectState<T extends KubernetesObject> {
  readonly stored: JsonStoredObject<T>;
  readonly revision: Revision;
  /** See `PlainValue.stale`. */
  readonly stale: boolean;
  /** The lease that limits the life of the key; 0 for none, or when the state comes from a cache. */
  readonly lease: bigint;
}

/** The outcome of a compare-and-swap: the revision of the write, or the value that differs from the expected one. */
export type Swap =
  | { readonly swapped: true; readonly revision: Revision }
  | { readonly swapped: false; readonly kv: KeyValue | undefined };

export interface ObjectAccessOptions<T extends KubernetesObject> {
  readonly store: KeyValueStore;
  readonly codec: Codec<T>;
  readonly transformer: Transformer;
  readonly versioner: Versioner;
}

/** Reads and writes objects in a key-value engine: codec, transformer and compare-and-swap. */
export class ObjectAccess<T extends KubernetesObject> {
  readonly store: KeyValueStore;
  readonly versioner: Versioner;
  readonly codec: Codec<T>;
  /** Recorded sizes; undefined until `enableResourceSizeEstimation` is called. */
  sizes: ObjectSizes | undefined;
  readonly #transformer: Transformer;
  /** Values that were encoded here, besides JSON. An engine in this process returns the same arrays, which need not be checked again. */
  readonly #written: WeakSet<Uint8Array> = new WeakSet();

  constructor({ store, codec, transformer, versioner }: ObjectAccessOptions<T>) {
    this.store = store;
    this.versioner = versioner;
    this.codec = codec;
    this.#transformer = transformer;
  }

  /**
   * The object of a key-value, which is known to be decodable. Returns a promise only when the transformer does.
   * @throws {StorageError} CORRUPT_OBJECT. @throws {ListwatchError} an error of the transformer.
   */
  stateOf(
    kv: KeyValue,
    revision: Revision = kv.modRevision,
  ): ObjectState<T> | Promise<ObjectState<T>> {
    const { key } = kv;
    this.sizes?.note(key, kv.modRevision, kv.value.byteLength);
    let plain: PlainValue | Promise<PlainValue>;
    try {
      plain = this.#transformer.fromStorage(kv.value, kv);
    } catch (error) {
      throw unreadable(key, error);
    }
    if (!(plain instanceof Promise)) return this.#state(kv, plain, revision);
    return plain.then(
      (value) => this.#state(kv, value, revision),
      (error: unknown) => {
        throw unreadable(key, error);
      },
    );
  }

  storedObject(key: string, value: Uint8Array, revision: Revision): JsonStoredObject<T> {
    const resourceVersion = this.versioner.resourceVersionOf(revision);
    return new JsonStoredObject({ key, value, resourceVersion, codec: this.codec });
  }

  /** The bytes of the next state of an object. Those of a `spec` that it has from a state that was written here are copied. */
  encode(object: T, before: JsonStoredObject<T> | undefined): Uint8Array {
    const copied =
      before !== undefined && this.#isOwn(before.value) ? before.encodeAfter(object) : undefined;
    return copied ?? this.codec.encode(object);
  }

  #isOwn(data: Uint8Array): boolean {
    return isEncodedText(data) || this.#written.has(data);
  }

  /** The state in a cache, in the form of a state that was read. */
  stateFromCache(key: string, cached: StoredObject<T>): ObjectState<T> {
    const revision = this.versioner.parseResourceVersion(cached.resourceVersion);
    const stored =
      cached instanceof JsonStoredObject && cached.key === key
        ? (cached as JsonStoredObject<T>)
        : this.storedObject(key, this.codec.encode(cached.object), revision);
    return { stored, revision, stale: false, lease: 0n };
  }

  /** Whether the value can be transformed and decoded. Throws when that is not known at present. */
  async isReadable(kv: KeyValue): Promise<boolean> {
    try {
      await this.stateOf(kv);
      return true;
    } catch (error) {
      if (isStorageError(error, 'CORRUPT_OBJECT')) return false;
      throw error;
    }
  }

  /** The present value of a key, in stored form. */
  async readValue(key: string): Promise<KeyValue | undefined> {
    const { items } = await this.store.range({ key });
    return items[0];
  }

  /** The present state of a key. */
  async read(key: string): Promise<ObjectState<T> | undefined> {
    const kv = await this.readValue(key);
    return kv === undefined ? undefined : await this.stateOf(kv);
  }

  /** The present state of a key. @throws {StorageError} KEY_NOT_FOUND. */
  async readExisting(key: string): Promise<ObjectState<T>> {
    const state = await this.read(key);
    if (state === undefined) throw keyNotFound(key);
    return state;
  }

  /** Writes an encoded object if the key is still at `revision` (0: does not exist). */
  async swap(
    key: string,
    revision: Revision,
    data: Uint8Array,
    lease: bigint,
    guard?: StorageGuard,
  ): Promise<Swap> {
    if (!isEncodedText(data)) this.#written.add(data);
    const value = await this.#transformer.toStorage(data, { key });
    const put = { type: 'put', key, value, ...(lease === 0n ? {} : { lease }) } as const;
    const swap = await this.#swap(key, revision, put, guard);
    if (swap.swapped) this.sizes?.note(key, swap.revision, value.byteLength);
    return swap;
  }

  /** Deletes the key if it is still at `revision`. */
  async swapDelete(key: string, revision: Revision, guard?: StorageGuard): Promise<Swap> {
    const swap = await this.#swap(key, revision, { type: 'delete', key }, guard);
    if (swap.swapped) this.sizes?.forget(key, swap.revision);
    return swap;
  }

  #state(
    { key, lease }: KeyValue,
    { data, stale }: PlainValue,
    revision: Revision,
  ): ObjectState<T> {
    const stored = this.storedObject(key, data, revision);
    if (!this.#isOwn(data)) stored.checkReadable();
    return { stored, revision, stale, lease };
  }

  async #swap(
    key: string,
    revision: Revision,
    operation: TxnOperation,
    guard: StorageGuard | undefined,
  ): Promise<Swap> {
    for (;;) {
      const guarded = await guard?.current();
      const compare = [unchanged(key, revision)];
      if (guarded !== undefined) compare.push(unchanged(guarded.key, guarded.revision));
      const response = await this.store.txn({
        compare,
        success: [operation],
        failure: [{ type: 'range', key }],
      });
      if (response.succeeded) return { swapped: true, revision: response.revision };
      const kv = rangedItem(response);
      // It was the guarded key that has changed, such as by a renewal of the lease: the guard decides again.
      if (guarded !== undefined && (kv?.modRevision ?? 0n) === revision) continue;
      return { swapped: false, kv };
    }
  }
}

function unchanged(key: string, revision: Revision): Compare {
  return { key, target: 'modRevision', operator: '=', operand: revision };
}

function rangedItem({ responses }: TxnResponse): KeyValue | undefined {
  const [range] = responses;
  return range?.type === 'range' ? range.items[0] : undefined;
}

function unreadable(key: string, cause: unknown): Error {
  if (isListwatchError(cause)) return cause;
  const message = `the stored value cannot be transformed: ${errorMessage(cause)}`;
  return new StorageError('CORRUPT_OBJECT', key, message, cause);
}

export function keyNotFound(key: string): StorageError {
  return new StorageError('KEY_NOT_FOUND', key, 'no object is stored under this key');
}
