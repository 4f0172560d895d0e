import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { StoredObject } from '../contract/stored-object.ts';

/** An object whose value cannot be read: its key and a resource version. */
export class LostObject<T extends KubernetesObject> implements StoredObject<T> {
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
