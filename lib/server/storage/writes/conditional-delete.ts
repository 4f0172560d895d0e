import type { KubernetesObject } from '../../../meta/object.ts';
import { keyNotFound, type ObjectAccess } from '../reads/object-access.ts';
import { checkPreconditions } from '../contract/preconditions.ts';
import type { StorageDeleteOptions } from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';

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
