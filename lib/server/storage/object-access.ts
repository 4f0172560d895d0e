import { errorMessage } from '../../kernel/errors.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type {
  KeyValue,
  KeyValueStore,
  Operation,
  Revision,
  TxnResponse,
} from '../mvcc/key-value-store.ts';
import type { Codec } from './codec.ts';
import { JsonStoredObject } from './json-stored-object.ts';
import { StorageError } from './storage-error.ts';
import type { StoredObject } from './stored-object.ts';
import type { PlainValue, Transformer } from './transformer.ts';
import type { Versioner } from './versioner.ts';

/** What was read of one key. */
export interface ObjectState<T extends KubernetesObject> {
  readonly stored: JsonStoredObject<T>;
  readonly revision: Revision;
  /** See `PlainValue.stale`. */
  readonly stale: boolean;
}

/** The outcome of a compare-and-swap: the revision of the write, or the state that stood in its way. */
export type Swap<T extends KubernetesObject> =
  | { readonly swapped: true; readonly revision: Revision }
  | { readonly swapped: false; readonly state: ObjectState<T> | undefined };

export interface ObjectAccessOptions<T extends KubernetesObject> {
  readonly store: KeyValueStore;
  readonly codec: Codec<T>;
  readonly transformer: Transformer;
  readonly versioner: Versioner;
}

/** Objects in, key-values out and back: codec, transformer and compare-and-swap over one engine. */
export class ObjectAccess<T extends KubernetesObject> {
  readonly store: KeyValueStore;
  readonly versioner: Versioner;
  readonly codec: Codec<T>;
  readonly #transformer: Transformer;

  constructor({ store, codec, transformer, versioner }: ObjectAccessOptions<T>) {
    this.store = store;
    this.versioner = versioner;
    this.codec = codec;
    this.#transformer = transformer;
  }

  /**
   * The object of a key-value; a promise only when the transformer makes one.
   * @throws {StorageError} CORRUPT_OBJECT.
   */
  stateOf(
    kv: KeyValue,
    revision: Revision = kv.modRevision,
  ): ObjectState<T> | Promise<ObjectState<T>> {
    const { key } = kv;
    let plain: PlainValue | Promise<PlainValue>;
    try {
      plain = this.#transformer.fromStorage(kv.value, kv);
    } catch (error) {
      throw unreadable(key, error);
    }
    if (!(plain instanceof Promise)) return this.#state(key, plain, revision);
    return plain.then(
      (value) => this.#state(key, value, revision),
      (error: unknown) => {
        throw unreadable(key, error);
      },
    );
  }

  storedObject(key: string, value: Uint8Array, revision: Revision): JsonStoredObject<T> {
    const resourceVersion = this.versioner.resourceVersionOf(revision);
    return new JsonStoredObject({ key, value, resourceVersion, codec: this.codec });
  }

  /** The state a cache believes in, as if it had been read. */
  stateFromCache(key: string, cached: StoredObject<T>): ObjectState<T> {
    const revision = this.versioner.parseResourceVersion(cached.resourceVersion);
    const stored =
      cached instanceof JsonStoredObject && cached.key === key
        ? (cached as JsonStoredObject<T>)
        : this.storedObject(key, this.codec.encode(cached.object), revision);
    return { stored, revision, stale: false };
  }

  /** The present state of a key. */
  async read(key: string): Promise<ObjectState<T> | undefined> {
    const { items } = await this.store.range({ key });
    const kv = items[0];
    return kv === undefined ? undefined : await this.stateOf(kv);
  }

  /** The present state of a key. @throws {StorageError} KEY_NOT_FOUND. */
  async readExisting(key: string): Promise<ObjectState<T>> {
    const state = await this.read(key);
    if (state === undefined) throw keyNotFound(key);
    return state;
  }

  /** Writes an encoded object if the key is still at `revision` (0: missing). */
  async swap(key: string, revision: Revision, data: Uint8Array, lease: bigint): Promise<Swap<T>> {
    const value = await this.#transformer.toStorage(data, { key });
    const put = { type: 'put', key, value, ...(lease === 0n ? {} : { lease }) } as const;
    return await this.#swap(key, revision, put);
  }

  /** Deletes the key if it is still at `revision`. */
  async swapDelete(key: string, revision: Revision): Promise<Swap<T>> {
    return await this.#swap(key, revision, { type: 'delete', key });
  }

  #state(key: string, { data, stale }: PlainValue, revision: Revision): ObjectState<T> {
    return { stored: this.storedObject(key, data, revision), revision, stale };
  }

  async #swap(key: string, revision: Revision, operation: Operation): Promise<Swap<T>> {
    const response = await this.store.txn({
      compare: [{ key, target: 'modRevision', operator: '=', operand: revision }],
      success: [operation],
      failure: [{ type: 'range', key }],
    });
    if (response.succeeded) return { swapped: true, revision: response.revision };
    const kv = rangedItem(response);
    return { swapped: false, state: kv === undefined ? undefined : await this.stateOf(kv) };
  }
}

function rangedItem({ responses }: TxnResponse): KeyValue | undefined {
  const [range] = responses;
  return range?.type === 'range' ? range.items[0] : undefined;
}

function unreadable(key: string, cause: unknown): StorageError {
  const message = `the stored value cannot be transformed: ${errorMessage(cause)}`;
  return new StorageError('CORRUPT_OBJECT', key, message, cause);
}

export function keyNotFound(key: string): StorageError {
  return new StorageError('KEY_NOT_FOUND', key, 'no object is stored under this key');
}
