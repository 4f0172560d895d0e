import { objectJson } from '../../cache/memory/views/object-json.ts';
import { joinedKey } from '../../meta/key.ts';
import type { ObjectMeta, UnstructuredObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { StoredObject } from '../../server/storage/contract/stored-object.ts';

/** A recorded object as a server sends it: with the bytes of the recording. */
export class ServedObject implements StoredObject<UnstructuredObject> {
  readonly key: string;
  readonly resourceVersion: string;
  readonly #view: ObjectView;

  constructor(view: ObjectView) {
    const { name = '', namespace, resourceVersion = '' } = identityOf(view);
    this.key = joinedKey(name, namespace);
    this.resourceVersion = resourceVersion;
    this.#view = view;
  }

  get metadata(): ObjectMeta {
    return this.#view.metadata;
  }

  get object(): UnstructuredObject {
    return this.#view.object as UnstructuredObject;
  }

  get bytes(): Uint8Array {
    return objectJson(this.#view);
  }

  copy(): UnstructuredObject {
    return structuredClone(this.object);
  }
}
