import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { LeaseManager } from './lease-manager.ts';
import {
  keyNotFound,
  type ObjectAccess,
  type ObjectState,
  type Swap,
} from '../reads/object-access.ts';
import { StorageError } from '../contract/storage-error.ts';
import type {
  StorageDeleteOptions,
  GuaranteedUpdateOptions,
  TryUpdate,
  UpdateInput,
  UpdateOutput,
} from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { checkPreconditions } from '../contract/preconditions.ts';

/**
 * The compare-and-swap loop of a deletion. Awaits between read and write; the comparison in the transaction makes that safe.
 * A refusal that is based on the state of a cache is checked against the live state before it is reported.
 * @see apiserver pkg/storage/etcd3/store.go conditionalDelete @ 24a394e
 */
export async function conditionalDelete<T extends KubernetesObject>(
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
export async function deleteUnreadable<T extends KubernetesObject>(
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
export async function guaranteedUpdate<T extends KubernetesObject>(
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
      output = await tryUpdate(inputOf(state?.stored));
    } catch (error) {
      if (live) throw error;
      const guess = state;
      state = await readLive();
      live = true;
      if (state?.revision === guess?.revision) throw error;
      continue;
    }
    const data = access.encode(output.object, state?.stored);
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

/** Some updates read the shared state alone, so the private copy is made when it is first read. */
function inputOf<T extends KubernetesObject>(stored: StoredObject<T> | undefined): UpdateInput<T> {
  if (stored === undefined) return { existing: undefined, stored };
  let copy: T | undefined;
  return {
    get existing() {
      copy ??= stored.copy();
      return copy;
    },
    stored,
  };
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
