import { expensiveChecksEnabled } from '../../../kernel/failure/assert.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** The content of another stored object with a resource version of its own. */
class RestampedObject<T extends KubernetesObject> implements StoredObject<T> {
  readonly key: string;
  readonly resourceVersion: string;
  readonly metadata: ObjectMeta;
  readonly #original: StoredObject<T>;
  #object: T | undefined;
  #bytes: Uint8Array | undefined;

  constructor(original: StoredObject<T>, resourceVersion: string) {
    this.#original = original;
    this.key = original.key;
    this.resourceVersion = resourceVersion;
    this.metadata = guarded({ ...original.metadata, resourceVersion });
  }

  get object(): T {
    this.#object ??= guarded({ ...this.#original.object, metadata: this.metadata });
    return this.#object;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(JSON.stringify(this.object));
    return this.#bytes;
  }

  copy(): T {
    return { ...this.#original.copy(), metadata: structuredClone(this.metadata) };
  }
}

/** Values below the first level are shared with the original, which is frozen already. */
function guarded<V extends object>(value: V): V {
  return expensiveChecksEnabled() ? Object.freeze(value) : value;
}

/** The same object with another resource version; the original does not change. */
export function restamped<T extends KubernetesObject>(
  stored: StoredObject<T>,
  resourceVersion: string,
): StoredObject<T> {
  return new RestampedObject(stored, resourceVersion);
}
