import { deepFreeze } from '../../../kernel/data/deep-freeze.ts';
import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { expensiveChecksEnabled } from '../../../kernel/failure/assert.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { ObjectScanner } from '../../../meta/json/object-scanner.ts';
import { joinedKey } from '../../../meta/key.ts';
import { IdentifiedView, type ObjectIdentity } from '../../../meta/object-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { Codec } from './codec.ts';
import {
  resourceVersionPieces,
  resourceVersionPlace,
  spliceResourceVersion,
} from './resource-version-splice.ts';
import { StorageError } from '../contract/storage-error.ts';
import type { StoredObject } from '../contract/stored-object.ts';

export interface JsonStoredObjectOptions<T extends KubernetesObject> {
  readonly key: string;
  /** The bytes that the codec wrote, without resource version. */
  readonly value: Uint8Array;
  readonly resourceVersion: string;
  readonly codec: Codec<T>;
}

const NO_METADATA: ObjectMeta = Object.freeze({});
const scanner = new ObjectScanner();

/**
 * One object over its stored bytes. It is decoded, and gets its resource version, at the first read. Its identity can be read
 * without decoding.
 */
export class JsonStoredObject<T extends KubernetesObject>
  extends IdentifiedView
  implements StoredObject<T>
{
  readonly key: string;
  readonly resourceVersion: string;
  /** The bytes that the codec wrote, without resource version. */
  readonly value: Uint8Array;
  readonly #codec: Codec<T>;
  #object: T | undefined;
  #bytes: Uint8Array | undefined;
  #encode: ((object: T) => Uint8Array) | undefined;
  #encoded: Uint8Array | undefined;
  /** 0 until it is computed. */
  #place: number | undefined = 0;
  #identity: Omit<ObjectIdentity, 'resourceVersion'> | undefined;
  #sharedKey: string | undefined;

  constructor({ key, value, resourceVersion, codec }: JsonStoredObjectOptions<T>) {
    super();
    this.key = key;
    this.value = value;
    this.resourceVersion = resourceVersion;
    this.#codec = codec;
  }

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  get object(): T {
    if (this.#object === undefined) {
      this.#object = this.copy();
      if (expensiveChecksEnabled()) deepFreeze(this.#object);
    }
    return this.#object;
  }

  get metadata(): ObjectMeta {
    return this.object.metadata ?? NO_METADATA;
  }

  get name(): string | undefined {
    return this.#identified().name;
  }

  get namespace(): string | undefined {
    return this.#identified().namespace;
  }

  get uid(): string | undefined {
    return this.#identified().uid;
  }

  /** The same string for all informers of this process. */
  override get sharedKey(): string | undefined {
    if (this.#sharedKey === undefined) {
      const { name, namespace } = this.#identified();
      if (typeof name === 'string' && name !== '') this.#sharedKey = joinedKey(name, namespace);
    }
    return this.#sharedKey;
  }

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#spliced() ?? Buffer.from(JSON.stringify(this.object), 'utf8');
    return this.#bytes;
  }

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  pieces(): readonly Uint8Array[] {
    if (this.#bytes !== undefined) return [this.#bytes];
    const document = this.#document();
    const place = this.#placeIn(document);
    if (document === undefined || place === undefined) return [this.bytes];
    return resourceVersionPieces(document, place, this.resourceVersion);
  }

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value; the error of `encode`. */
  encodedBy(encode: (object: T) => Uint8Array): Uint8Array {
    if (this.#encoded === undefined || this.#encode !== encode) {
      this.#encoded = encode(this.#object ?? this.copy());
      this.#encode = encode;
    }
    return this.#encoded;
  }

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  copy(): T {
    return withResourceVersion(this.#decode(), this.resourceVersion);
  }

  /** Decodes without keeping the result. @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  checkReadable(): void {
    if (this.#object === undefined) this.#decode();
  }

  #identified(): Omit<ObjectIdentity, 'resourceVersion'> {
    if (this.#object !== undefined) return this.metadata;
    this.#identity ??= this.#scanned() ?? this.metadata;
    return this.#identity;
  }

  #scanned(): Omit<ObjectIdentity, 'resourceVersion'> | undefined {
    const document = this.#document();
    if (document === undefined) return undefined;
    const bytes = asBuffer(document);
    if (scanner.scanObject(bytes, 0, bytes.length) < 0 || !scanner.plain) return undefined;
    const { name, namespace, uid } = scanner;
    return { name, namespace, uid };
  }

  #spliced(): Uint8Array | undefined {
    const document = this.#document();
    const place = this.#placeIn(document);
    if (document === undefined || place === undefined) return undefined;
    return spliceResourceVersion(document, place, this.resourceVersion);
  }

  /** The offset for the resource version; undefined if the document has to be encoded again. */
  #placeIn(document: Uint8Array | undefined): number | undefined {
    if (document !== undefined && this.#place === 0) {
      this.#place = resourceVersionPlace(document);
    }
    return this.#place;
  }

  /** The value as a JSON document that lacks only the resource version, if the codec offers it. */
  #document(): Uint8Array | undefined {
    const codec = this.#codec;
    return codec.documentOf === undefined ? this.value : codec.documentOf(this.value);
  }

  #decode(): T {
    try {
      return this.#codec.decode(this.value);
    } catch (error) {
      const message = `the stored value cannot be decoded: ${errorMessage(error)}`;
      throw new StorageError('CORRUPT_OBJECT', this.key, message, error);
    }
  }
}

/** Sets the resource version in place; the object comes from the decoder and is not shared. */
function withResourceVersion<T extends KubernetesObject>(object: T, resourceVersion: string): T {
  const writable = object as { metadata?: unknown };
  if (typeof writable.metadata !== 'object' || writable.metadata === null) writable.metadata = {};
  (writable.metadata as { resourceVersion?: string }).resourceVersion = resourceVersion;
  return object;
}
