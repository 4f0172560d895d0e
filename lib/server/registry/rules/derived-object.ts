import type { ObjectMeta, UnstructuredObject } from '../../../meta/object.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

const NO_METADATA: ObjectMeta = Object.freeze({});
const encoder = new TextEncoder();

/** An object that is sent but not stored in this form: the result of a dry run, another version of a stored object, a Scale. */
export class DerivedObject implements StoredObject<UnstructuredObject> {
  readonly key: string;
  readonly object: UnstructuredObject;
  #bytes: Uint8Array | undefined;
  #encode: ((object: UnstructuredObject) => Uint8Array) | undefined;
  #encoded: Uint8Array | undefined;

  constructor(key: string, object: UnstructuredObject) {
    this.key = key;
    this.object = object;
  }

  get metadata(): ObjectMeta {
    return this.object.metadata ?? NO_METADATA;
  }

  get resourceVersion(): string {
    return this.metadata.resourceVersion ?? '';
  }

  get bytes(): Uint8Array {
    this.#bytes ??= encoder.encode(JSON.stringify(this.object));
    return this.#bytes;
  }

  encodedBy(encode: (object: UnstructuredObject) => Uint8Array): Uint8Array {
    if (this.#encoded === undefined || this.#encode !== encode) {
      this.#encoded = encode(this.object);
      this.#encode = encode;
    }
    return this.#encoded;
  }

  copy(): UnstructuredObject {
    return structuredClone(this.object);
  }
}

/**
 * `stored` in another version; `stored` itself if it has that one. The last result stays with `stored`, so that all its readers share one
 * encoding.
 * @param convert The fields of that version. @defaultValue those of the stored one
 */
export function inApiVersion(
  stored: StoredObject<UnstructuredObject>,
  apiVersion: string,
  convert: (object: UnstructuredObject) => UnstructuredObject = (object) => object,
): StoredObject<UnstructuredObject> {
  const { object } = stored;
  if (object.apiVersion === apiVersion) return stored;
  const made = stored.converted;
  if (made?.object.apiVersion === apiVersion) return made;
  const derived = new DerivedObject(stored.key, { ...convert(object), apiVersion });
  stored.converted = derived;
  return derived;
}
