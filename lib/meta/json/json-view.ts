import type { KubernetesObject, ObjectMeta } from '../object.ts';
import { IdentifiedView, type ObjectIdentity, type ObjectView } from '../object-view.ts';
import type { KnownValue } from './known-values.ts';
import { parseLazily, type ManagedFieldsPlace } from './lazy-managed-fields.ts';
import { ObjectScanner } from './object-scanner.ts';
import type { SharedMember } from './shared-member.ts';

/** Bytes that contain views: a chunk of a stream, a page of a list, or a slab of a cache. They never change. */
export interface ByteSource {
  readonly bytes: Buffer;
  /**
   * Decodes the views in these bytes, and may keep the result. Without a codec the bytes are plain JSON, and each view decodes
   * its object itself and keeps it.
   */
  readonly codec?: ViewCodec | undefined;
}

/** Reads the views in the slabs of a cache. */
export interface ViewCodec {
  /** The JSON of the object; it must not be modified. */
  json(view: JsonView<KubernetesObject>): Buffer;
  /** `shared`: a member whose decoded value is known. */
  object(view: JsonView<KubernetesObject>, shared?: SharedMember): KubernetesObject;
  metadata(view: JsonView<KubernetesObject>): ObjectMeta;
  uid(view: JsonView<KubernetesObject>): string | undefined;
  resourceVersion(view: JsonView<KubernetesObject>): string | undefined;
  /** The same as `JsonView.longestMember`. */
  longestMember?(view: JsonView<KubernetesObject>): KnownValue | undefined;
}

/**
 * Offsets in the bytes of a plain object: its metadata, the managed fields in the metadata, and the longest other member; −1
 * for a part that is absent.
 */
export interface ObjectPlaces {
  readonly metadataStart: number;
  readonly metadataEnd: number;
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  readonly longestStart: number;
  readonly longestEnd: number;
}

/** Version and kind of the items of a list; the items lack them on the wire. */
export interface TypeMeta {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** The result of scanning an object; offsets count from its start. */
class ScannedIdentity implements ObjectIdentity, ObjectPlaces {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly metadataStart: number;
  readonly metadataEnd: number;
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  readonly longestStart: number;
  readonly longestEnd: number;
  key: string | undefined = undefined;

  constructor(scan: ObjectIdentity & Partial<ObjectPlaces>, start: number) {
    this.name = scan.name;
    this.namespace = scan.namespace;
    this.uid = scan.uid;
    this.resourceVersion = scan.resourceVersion;
    const { metadataStart = -1, metadataEnd = -1 } = scan;
    const { managedFieldsStart = -1, managedFieldsEnd = -1 } = scan;
    const has = metadataStart >= 0;
    const hasFields = has && managedFieldsStart >= 0;
    this.metadataStart = has ? metadataStart - start : -1;
    this.metadataEnd = has ? metadataEnd - start : -1;
    this.managedFieldsStart = hasFields ? managedFieldsStart - start : -1;
    this.managedFieldsEnd = hasFields ? managedFieldsEnd - start : -1;
    const { longestStart = -1, longestEnd = -1 } = scan;
    this.longestStart = longestStart < 0 ? -1 : longestStart - start;
    this.longestEnd = longestStart < 0 ? -1 : longestEnd - start;
  }
}

const NO_METADATA: ObjectMeta = Object.freeze({});
const scanner = new ObjectScanner();

/**
 * An object in the form of the bytes it was received as. Its identity is read at once; metadata and object are decoded on first read.
 *
 * Guarantees: it returns the same values as `JSON.parse` of its bytes, without `managedFields` of `metadata`.
 *
 * Not guaranteed: that two reads return the same object. A source with a codec may have to decode again.
 */
export class JsonView<T extends KubernetesObject> extends IdentifiedView implements ObjectView<T> {
  #source: ByteSource;
  #start: number;
  readonly #length: number;
  readonly #type: TypeMeta | undefined;
  /** Undefined when the codec of the source keeps it. */
  #identity: ScannedIdentity | undefined;
  #object: T | undefined = undefined;

  /**
   * A view of the plain object between `start` and `end`. `identity` is, for example, the scan that has just found it, which also
   * knows where in the source the metadata is.
   */
  constructor(
    source: ByteSource,
    start: number,
    end: number,
    identity: ObjectIdentity & Partial<ObjectPlaces>,
    type: TypeMeta | undefined,
  ) {
    super();
    this.#identity = new ScannedIdentity(identity, start);
    this.#source = source;
    this.#start = start;
    this.#length = end - start;
    this.#type = type;
  }

  get name(): string | undefined {
    return (this.#identity ?? this.metadata).name;
  }

  get namespace(): string | undefined {
    return (this.#identity ?? this.metadata).namespace;
  }

  get uid(): string | undefined {
    if (this.#identity !== undefined) return this.#identity.uid;
    return this.#source.codec?.uid(this);
  }

  get resourceVersion(): string | undefined {
    if (this.#identity !== undefined) return this.#identity.resourceVersion;
    return this.#source.codec?.resourceVersion(this);
  }

  /** See `shareKey`. */
  override get sharedKey(): string | undefined {
    return this.#identity?.key;
  }

  /** The readers that come next use this string as its key, until a cache has stored it. */
  shareKey(key: string): void {
    if (this.#identity !== undefined) this.#identity.key = key;
  }

  get metadata(): ObjectMeta {
    if (this.#object !== undefined) return this.#object.metadata ?? NO_METADATA;
    const { codec, bytes } = this.#source;
    if (codec !== undefined) return codec.metadata(this);
    return parseMetadata(bytes, this.#start, this.#start + this.#length);
  }

  get object(): T {
    return this.objectSharing(undefined);
  }

  /** Like `object`, but a member whose decoded value is known is not decoded again. */
  objectSharing(shared: SharedMember | undefined): T {
    if (this.#object !== undefined) return this.#object;
    const { codec, bytes } = this.#source;
    if (codec !== undefined) return codec.object(this, shared) as T;
    this.#object = parseObject({
      bytes,
      start: this.#start,
      end: this.#start + this.#length,
      type: this.#type,
      fields: this.#identity,
      shared,
    }) as T;
    return this.#object;
  }

  /** The length of its JSON in bytes, in whichever form it is stored. */
  get sizeBytes(): number {
    return this.#length;
  }

  get source(): ByteSource {
    return this.#source;
  }

  get start(): number {
    return this.#start;
  }

  get type(): TypeMeta | undefined {
    return this.#type;
  }

  /** Its JSON; it must not be modified. */
  get json(): Buffer {
    const { codec, bytes } = this.#source;
    return codec?.json(this) ?? bytes.subarray(this.#start, this.#start + this.#length);
  }

  /** Offsets of its parts, from the start of its JSON; undefined when they are no longer kept. */
  get places(): ObjectPlaces | undefined {
    return this.#identity;
  }

  /** The longest of its members other than the metadata, if its bytes can be read directly. */
  get longestMember(): KnownValue | undefined {
    const { codec, bytes } = this.#source;
    if (codec !== undefined) return codec.longestMember?.(this);
    const places = this.#identity;
    if (places === undefined || places.longestStart < 0) return undefined;
    const start = this.#start;
    return { bytes, start: start + places.longestStart, end: start + places.longestEnd };
  }

  /** The decoded object, if the view itself holds it. */
  get held(): T | undefined {
    return this.#object;
  }

  /** For caches: sets a new place of its bytes. The codec of `source` finds them there. */
  moveTo(source: ByteSource, start: number): void {
    this.#source = source;
    this.#start = start;
  }

  /** For caches: drops the identity strings. The codec of its source keeps uid and resource version. */
  forgetIdentity(): void {
    this.#identity = undefined;
  }

  /** For caches: the view keeps the decoded object itself from now on; with undefined, it no longer does. */
  hold(object: T | undefined): void {
    this.#object = object;
  }
}

/** An object in bytes, and what is known of it. */
export interface EncodedObject {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** An item of a list without apiVersion or kind gets those of the list. */
  readonly type: TypeMeta | undefined;
  /** With it, the managed fields are decoded when they are read. */
  readonly fields?: ManagedFieldsPlace | undefined;
  readonly shared?: SharedMember | undefined;
}

export function parseObject(encoded: EncodedObject): KubernetesObject {
  const { bytes, start, end, type, fields, shared } = encoded;
  const object = parseLazily(bytes, start, end, fields, shared) as {
    -readonly [Name in keyof KubernetesObject]: KubernetesObject[Name];
  };
  if (type?.kind !== undefined) {
    object.apiVersion ??= type.apiVersion;
    object.kind ??= type.kind;
  }
  return object;
}

/** Decodes the metadata of a plain object, without `managedFields`. */
export function parseMetadata(bytes: Buffer, start: number, end: number): ObjectMeta {
  scanner.scanMetadata(bytes, start, end);
  const { metadataStart, metadataEnd, managedFieldsStart, managedFieldsEnd } = scanner;
  if (metadataStart < 0) return NO_METADATA;
  const text =
    managedFieldsStart < 0
      ? bytes.toString('utf8', metadataStart, metadataEnd)
      : bytes.toString('utf8', metadataStart, managedFieldsStart) +
        bytes.toString('utf8', managedFieldsEnd, metadataEnd);
  return JSON.parse(text) as ObjectMeta;
}
