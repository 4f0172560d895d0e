import type { KubernetesObject, ObjectMeta } from '../object.ts';
import { IdentifiedView, type ObjectIdentity, type ObjectView } from '../object-view.ts';
import type { KnownValue } from './known-values.ts';
import { ObjectScanner } from './object-scanner.ts';

/** Bytes in which views lie: a piece of a stream, a page, or a slab of a cache. They never change. */
export interface ByteSource {
  readonly bytes: Buffer;
  /**
   * Decodes the views that lie here, and may remember the result. Without one the bytes are plain JSON, and a view decodes its object itself and
   * keeps it.
   */
  readonly codec?: ViewCodec | undefined;
}

/** Reads the views that lie in the slabs of a cache. */
export interface ViewCodec {
  /** The JSON of the object; it must not be modified. */
  json(view: JsonView<KubernetesObject>): Buffer;
  object(view: JsonView<KubernetesObject>): KubernetesObject;
  metadata(view: JsonView<KubernetesObject>): ObjectMeta;
  uid(view: JsonView<KubernetesObject>): string | undefined;
  resourceVersion(view: JsonView<KubernetesObject>): string | undefined;
  /** As the view gives it. */
  longestMember?(view: JsonView<KubernetesObject>): KnownValue | undefined;
}

/**
 * Offsets in the bytes of a plain object: its metadata, in that its managed fields, and the longest of its other members; −1
 * for what is not there.
 */
export interface ObjectPlaces {
  readonly metadataStart: number;
  readonly metadataEnd: number;
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  readonly longestStart: number;
  readonly longestEnd: number;
}

/** Version and kind of the items of a list, which lack them on the wire. */
export interface TypeMeta {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** The result of the scan of an object; offsets count from its start. */
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
 * An object as the bytes it came in. Its identity is known; metadata and object are decoded on first read.
 *
 * Guarantees: what it gives is what `JSON.parse` of its bytes gives, `managedFields` of `metadata` left out.
 *
 * Not guaranteed: that asking twice gives the same object; a source with a codec may have to decode again.
 */
export class JsonView<T extends KubernetesObject> extends IdentifiedView implements ObjectView<T> {
  #source: ByteSource;
  #start: number;
  readonly #length: number;
  readonly #type: TypeMeta | undefined;
  /** Undefined when the codec of the source has it. */
  #identity: ScannedIdentity | undefined;
  #object: T | undefined = undefined;

  /**
   * The plain object that lies between `start` and `end`, and who it is: the scan that has just found it, say, which also knows
   * where in the source its metadata lies.
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

  get metadata(): ObjectMeta {
    if (this.#object !== undefined) return this.#object.metadata ?? NO_METADATA;
    const { codec, bytes } = this.#source;
    if (codec !== undefined) return codec.metadata(this);
    return parseMetadata(bytes, this.#start, this.#start + this.#length);
  }

  get object(): T {
    if (this.#object !== undefined) return this.#object;
    const { codec, bytes } = this.#source;
    if (codec !== undefined) return codec.object(this) as T;
    this.#object = parseObject(bytes, this.#start, this.#start + this.#length, this.#type) as T;
    return this.#object;
  }

  /** The length of its JSON, however it lies in memory. */
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

  /** Offsets of its parts, from the start of its JSON, as long as they are remembered. */
  get places(): ObjectPlaces | undefined {
    return this.#identity;
  }

  /** The longest of its members, metadata aside, where its bytes are at hand. */
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

  /** For caches: its bytes lie elsewhere now, where the codec of `source` finds them. */
  moveTo(source: ByteSource, start: number): void {
    this.#source = source;
    this.#start = start;
  }

  /** For caches: drops the identity strings; the codec of its source has uid and resource version. */
  forgetIdentity(): void {
    this.#identity = undefined;
  }

  /** For caches: from now on the view holds the decoded object itself, or, with undefined, no longer does. */
  hold(object: T | undefined): void {
    this.#object = object;
  }
}

/** Decodes an object; items of a list get the type of the list where they have none. */
export function parseObject(
  bytes: Buffer,
  start: number,
  end: number,
  type: TypeMeta | undefined,
): KubernetesObject {
  const object = JSON.parse(bytes.toString('utf8', start, end)) as {
    -readonly [Name in keyof KubernetesObject]: KubernetesObject[Name];
  };
  if (type?.kind !== undefined) {
    object.apiVersion ??= type.apiVersion;
    object.kind ??= type.kind;
  }
  return object;
}

/** Decodes the metadata of a plain object, `managedFields` left out. */
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
