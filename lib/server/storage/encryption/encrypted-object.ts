import { WireReader } from '../../../meta/protobuf/wire/wire-reader.ts';
import {
  reserve,
  writeByteString,
  writeInt32,
  writeMessage,
  writeSmall,
  writeString,
  writeLength,
  written,
} from '../../../meta/protobuf/wire/wire-writer.ts';

const KEY_TAG = 0x0a;
const VALUE_TAG = 0x12;

/** Writes a field of type `map<string, bytes>`. */
export function writeBytesMap(entries: ReadonlyMap<string, Uint8Array>, tag: number): void {
  for (const [name, value] of [...entries].toReversed()) {
    const before = written();
    writeByteString(value, VALUE_TAG);
    writeString(name, KEY_TAG);
    writeLength(before, tag);
  }
}

/** Reads an entry of such a field. @throws {RangeError | TypeError} when it is not one. */
export function readBytesEntry(reader: WireReader): [string, Uint8Array] {
  const end = reader.messageEnd();
  let name = '';
  let value: Uint8Array = new Uint8Array(0);
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === KEY_TAG) name = reader.string();
    else if (tag === VALUE_TAG) value = reader.bytes();
    else reader.skip(tag);
  }
  return [name, value];
}

/**
 * The form of the wrapped data key of a value: the key itself, or a seed from which a key is derived for each value.
 * @see apiserver pkg/storage/value/encrypt/envelope/kmsv2/v2/api.proto EncryptedDEKSourceType @ 24a394e
 */
export type DataKeySource = 'key' | 'seed';

/** The data key in the form in which it is stored with each value that it encrypts. */
export interface StoredDataKey {
  readonly keyId: string;
  /** The wrapped key or seed. */
  readonly source: Uint8Array;
  readonly sourceType: DataKeySource;
  readonly annotations: ReadonlyMap<string, Uint8Array>;
}

/** The message that a `KmsProvider` stores for a value. @see ibid. EncryptedObject */
export interface EncryptedObject extends StoredDataKey {
  readonly data: Uint8Array;
}

const LARGEST_KEY_ID_BYTES = 1024;
const LARGEST_SOURCE_BYTES = 1024;
const LARGEST_ANNOTATIONS_BYTES = 32 * 1024;

const TAG = { data: 0x0a, keyId: 0x12, source: 0x1a, annotations: 0x22, sourceType: 0x28 } as const;
const NO_BYTES = new Uint8Array(0);
const SOURCE_TYPES: readonly DataKeySource[] = ['key', 'seed'];

/**
 * The fault of a data key that is or will be stored; undefined when there is none.
 * @see apiserver pkg/storage/value/encrypt/envelope/kmsv2/envelope.go ValidateEncryptedObject @ 24a394e
 */
export function dataKeyProblem({ keyId, source, annotations }: StoredDataKey): string | undefined {
  const keyIdBytes = Buffer.byteLength(keyId);
  if (keyIdBytes === 0) return 'its key id is empty';
  if (keyIdBytes > LARGEST_KEY_ID_BYTES) {
    return `its key id has more than ${LARGEST_KEY_ID_BYTES} bytes`;
  }
  if (source.length === 0) return 'its wrapped data key is empty';
  if (source.length > LARGEST_SOURCE_BYTES) {
    return `its wrapped data key has more than ${LARGEST_SOURCE_BYTES} bytes`;
  }
  let annotationBytes = 0;
  for (const [name, value] of annotations) {
    if (!isDomainName(name)) return 'the name of an annotation is not a full domain name';
    annotationBytes += Buffer.byteLength(name) + value.length;
  }
  if (annotationBytes > LARGEST_ANNOTATIONS_BYTES) {
    return `its annotations have more than ${LARGEST_ANNOTATIONS_BYTES} bytes`;
  }
  return undefined;
}

const LONGEST_DOMAIN_NAME = 253;
const DOMAIN_NAME =
  /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)+$/;

function isDomainName(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return bare.length <= LONGEST_DOMAIN_NAME && DOMAIN_NAME.test(bare);
}

/** The most bytes of a tag and a length. */
const HEAD_BYTES = 6;

/** The bytes before the `length` bytes of data. */
export function encodeDataHead(length: number): Uint8Array {
  return writeMessage(() => {
    reserve(HEAD_BYTES);
    writeSmall(length);
    writeSmall(TAG.data);
  });
}

/** The bytes after the data; they are the same for all values of one data key. */
export function encodeDataKey({
  keyId,
  source,
  sourceType,
  annotations,
}: StoredDataKey): Uint8Array {
  return writeMessage(() => {
    // A zero is not written, as usual in protobuf.
    if (sourceType === 'seed') writeInt32(1, TAG.sourceType);
    writeBytesMap(annotations, TAG.annotations);
    writeByteString(source, TAG.source);
    writeString(keyId, TAG.keyId);
  });
}

/** Reads a message; unknown fields are skipped. @throws {Error} when it is not a message, or not a valid one. */
export function decodeEncryptedObject(message: Uint8Array): EncryptedObject {
  const object = readEncryptedObject(message);
  if (object.data.length === 0) throw new Error('its encrypted data is empty');
  const problem = dataKeyProblem(object);
  if (problem !== undefined) throw new Error(problem);
  return object;
}

function readEncryptedObject(message: Uint8Array): EncryptedObject {
  let data: Uint8Array = NO_BYTES;
  let keyId = '';
  let source: Uint8Array = NO_BYTES;
  let sourceNumber = 0;
  const annotations = new Map<string, Uint8Array>();
  try {
    const reader = new WireReader(message);
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === TAG.data) data = reader.bytes();
      else if (tag === TAG.keyId) keyId = reader.string();
      else if (tag === TAG.source) source = reader.bytes();
      else if (tag === TAG.annotations) annotations.set(...readBytesEntry(reader));
      else if (tag === TAG.sourceType) sourceNumber = reader.int64();
      else reader.skip(tag);
    }
  } catch (error) {
    throw new Error('it is not a valid message: cut off or changed', { cause: error });
  }
  const sourceType = SOURCE_TYPES[sourceNumber];
  if (sourceType === undefined) throw new Error('the source type of its data key is unknown');
  return { data, keyId, source, sourceType, annotations };
}
