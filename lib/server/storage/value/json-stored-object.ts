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
  sameSpec,
  specRange,
  spliceResourceVersion,
  withNullAt,
  withSpec,
  type ByteRange,
} from './document-fields.ts';
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
  #spec: ByteRange | undefined;

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

  /** @throws {StorageError} CORRUPT_OBJECT when the codec cannot decode the value. */
  decodeAfter(earlier: StoredObject<T>): void {
    if (this.#object !== undefined || !(earlier instanceof JsonStoredObject)) return;
    const shared = this.#decodedBeside(earlier as JsonStoredObject<T>);
    if (shared === undefined) return;
    this.#object = withResourceVersion(shared, this.resourceVersion);
    if (expensiveChecksEnabled()) deepFreeze(this.#object);
  }

  /** The bytes of a later state that has the `spec` of this one, the same object; undefined if it has another one. */
  encodeAfter(later: T): Uint8Array | undefined {
    const { spec } = later as { readonly spec?: unknown };
    const own = (this.#object as { readonly spec?: unknown } | undefined)?.spec;
    const document = this.#document();
    if (typeof spec !== 'object' || spec === null || spec !== own || document === undefined) {
      return undefined;
    }
    this.#spec ??= specRange(document);
    if (this.#spec === undefined) return undefined;
    const { start, end } = this.#spec;
    return withSpec(this.#codec.encode({ ...later, spec: null }), document.subarray(start, end));
  }

  /** The object with the `spec` of another state; undefined if its own has other bytes. */
  #decodedBeside(other: JsonStoredObject<T>): T | undefined {
    const document = this.#document();
    const otherDocument = other.#document();
    if (document === undefined || otherDocument === undefined) return undefined;
    other.#spec ??= specRange(otherDocument);
    const range = other.#spec && sameSpec(document, otherDocument, other.#spec);
    if (range === undefined) return undefined;
    this.#spec = range;
    const object: T & { spec?: unknown } = this.#decode(withNullAt(document, range));
    object.spec = (other.object as { readonly spec?: unknown }).spec;
    return object;
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

  #decode(value: Uint8Array = this.value): T {
    try {
      return this.#codec.decode(value);
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
