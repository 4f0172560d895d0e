import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import { keyNotFound, type ObjectAccess } from '../reads/object-access.ts';
import { StorageError } from '../contract/storage-error.ts';
import type { StorageDeleteOptions } from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';

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
