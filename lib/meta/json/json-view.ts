import type { KubernetesObject, ObjectMeta } from '../object.ts';
import { IdentifiedView, type ObjectView } from '../object-view.ts';
import { ObjectScanner } from './object-scanner.ts';

/** Bytes in which views lie: a piece of a stream, a page, or a slab of a cache. They never change. */
export interface ByteSource {
  readonly bytes: Buffer;
  /** Who decodes what lies here, and remembers it; without one a view decodes its object itself and keeps it. */
  readonly codec?: ViewCodec | undefined;
}

/** Decodes the views that lie in the slabs of a cache. */
export interface ViewCodec {
  object(view: JsonView<KubernetesObject>): KubernetesObject;
  metadata(view: JsonView<KubernetesObject>): ObjectMeta;
}

/** Version and kind of the items of a list, which lack them on the wire. */
export interface TypeMeta {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

const NO_METADATA: ObjectMeta = Object.freeze({});
const scanner = new ObjectScanner();

/**
 * An object as the bytes it came in. Its identity is known; metadata and object are decoded when somebody asks.
 *
 * Guarantees: what it gives is what `JSON.parse` of its bytes gives, `managedFields` of `metadata` left out.
 *
 * Not guaranteed: that asking twice gives the same object; a source with a codec may have to decode again.
 */
export class JsonView<T extends KubernetesObject> extends IdentifiedView implements ObjectView<T> {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  #name: string | undefined;
  #namespace: string | undefined;
  #source: ByteSource;
  #start: number;
  #length: number;
  readonly #type: TypeMeta | undefined;
  #object: T | undefined = undefined;

  /** The plain object that `scan` has just found between `start` and `end`. */
  constructor(
    source: ByteSource,
    start: number,
    end: number,
    scan: ObjectScanner,
    type: TypeMeta | undefined,
  ) {
    super();
    this.uid = scan.uid;
    this.resourceVersion = scan.resourceVersion;
    this.#name = scan.name;
    this.#namespace = scan.namespace;
    this.#source = source;
    this.#start = start;
    this.#length = end - start;
    this.#type = type;
  }

  get name(): string | undefined {
    return this.#name ?? this.metadata.name;
  }

  get namespace(): string | undefined {
    // Without a name of its own at hand neither is the namespace: objects without one must not be asked again and again.
    return this.#name === undefined ? this.metadata.namespace : this.#namespace;
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
    if (codec !== undefined) {
      return codec.object(this) as T;
    }
    this.#object = parseObject(bytes, this.#start, this.#start + this.#length, this.#type) as T;
    return this.#object;
  }

  /** The length of its bytes as they lie now. */
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

  /** The decoded object, if the view itself holds it. */
  get held(): T | undefined {
    return this.#object;
  }

  /** For caches: its bytes lie elsewhere now, as `source` says how. The strings of its key are let go of. */
  moveTo(source: ByteSource, start: number, length: number): void {
    this.#source = source;
    this.#start = start;
    this.#length = length;
    this.#name = undefined;
    this.#namespace = undefined;
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
  scanner.scanObject(bytes, start, end);
  const { metadataStart, metadataEnd, managedFieldsStart, managedFieldsEnd } = scanner;
  if (metadataStart < 0) return NO_METADATA;
  const text =
    managedFieldsStart < 0
      ? bytes.toString('utf8', metadataStart, metadataEnd)
      : bytes.toString('utf8', metadataStart, managedFieldsStart) +
        bytes.toString('utf8', managedFieldsEnd, metadataEnd);
  return JSON.parse(text) as ObjectMeta;
}
