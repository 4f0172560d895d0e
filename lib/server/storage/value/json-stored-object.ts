import { deepFreeze } from '../../../kernel/data/deep-freeze.ts';
import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { expensiveChecksEnabled } from '../../../kernel/failure/assert.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { ObjectScanner } from '../../../meta/json/object-scanner.ts';
import { joinedKey } from '../../../meta/key.ts';
import { IdentifiedView, type ObjectIdentity } from '../../../meta/object-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { Codec } from './codec.ts';
import { StorageError } from '../contract/storage-error.ts';
import type { StoredObject } from '../contract/stored-object.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

const FIELD = Buffer.from('"resourceVersion"');
const METADATA = Buffer.from('"metadata"');

/**
 * The offset in a JSON object at which `"resourceVersion":"…"` is inserted: the start of its `metadata`, found without parsing.
 * Undefined if it cannot be inserted: there is no `metadata` object, or it has that field already.
 */
export function resourceVersionPlace(document: Uint8Array): number | undefined {
  const bytes = asBuffer(document);
  const metadata = findField(bytes, skipSpace(bytes, 0), METADATA);
  if (metadata === undefined || bytes[metadata] !== OPEN_BRACE) return undefined;
  // A search over all bytes is much faster than walking the fields, and nearly always sufficient.
  if (bytes.includes(FIELD) && findField(bytes, metadata, FIELD) !== undefined) return undefined;
  return metadata + 1;
}

/** The document with the field inserted, as pieces: the bytes before, the field, and the bytes after. */
function resourceVersionPieces(
  document: Uint8Array,
  place: number,
  resourceVersion: string,
): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const bytes = asBuffer(document);
  const empty = bytes[skipSpace(bytes, place)] === CLOSE_BRACE;
  const insert = Buffer.from(`"resourceVersion":"${resourceVersion}"${empty ? '' : ','}`, 'latin1');
  return [bytes.subarray(0, place), insert, bytes.subarray(place)];
}

/** The same as one new array, which shares no memory and may be kept. */
export function spliceResourceVersion(
  document: Uint8Array,
  place: number,
  resourceVersion: string,
): Uint8Array {
  const [head, insert, tail] = resourceVersionPieces(document, place, resourceVersion);
  const spliced = Buffer.allocUnsafeSlow(head.length + insert.length + tail.length);
  spliced.set(head);
  spliced.set(insert, head.length);
  spliced.set(tail, head.length + insert.length);
  return spliced;
}

/** The offset of the value of a field in the object that opens at `start`; `name` includes its quotes. */
function findField(bytes: Buffer, start: number, name: Buffer): number | undefined {
  if (bytes[start] !== OPEN_BRACE) return undefined;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = skipString(bytes, at);
    const found =
      nameEnd - at === name.length && bytes.compare(name, 0, name.length, at, nameEnd) === 0;
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    if (found) return at;
    at = skipSpace(bytes, skipValue(bytes, at));
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
  return undefined;
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}

/** The position after the string whose opening quote is at `start`. */
function skipString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
    at += 1;
  }
  return bytes.length;
}

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
