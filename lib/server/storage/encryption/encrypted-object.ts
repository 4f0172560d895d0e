import {
  delimited,
  fieldsOf,
  mapEntryOf,
  mapFields,
  tagOf,
  textOf,
  varint,
} from './message-fields.ts';

/**
 * What the wrapped data key of a value is: the key itself, or a seed from which a key is derived for each value.
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

const FIELD = { data: 1, keyId: 2, source: 3, annotations: 4, sourceType: 5 } as const;
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

/** The bytes before the `length` bytes of data. */
export function encodeDataHead(length: number): Uint8Array {
  return Buffer.from([tagOf(FIELD.data), ...varint(length)]);
}

/** The bytes after the data; they are the same for all values of one data key. */
export function encodeDataKey({
  keyId,
  source,
  sourceType,
  annotations,
}: StoredDataKey): Uint8Array {
  const parts = [
    delimited(FIELD.keyId, Buffer.from(keyId)),
    delimited(FIELD.source, source),
    ...mapFields(FIELD.annotations, annotations),
  ];
  // A zero is not written, as usual in protobuf.
  if (sourceType === 'seed') parts.push(Buffer.of(FIELD.sourceType << 3, 1));
  return Buffer.concat(parts);
}

/** Reads a message; unknown fields are skipped. @throws {Error} when it is not a message, or not a valid one. */
export function decodeEncryptedObject(message: Uint8Array): EncryptedObject {
  let data: Uint8Array = Buffer.alloc(0);
  let keyId = '';
  let source: Uint8Array = Buffer.alloc(0);
  let sourceType: DataKeySource | undefined = 'key';
  const annotations = new Map<string, Uint8Array>();
  for (const { field, bytes, number } of fieldsOf(message)) {
    if (field === FIELD.sourceType && number !== undefined) sourceType = SOURCE_TYPES[number];
    if (bytes === undefined) continue;
    if (field === FIELD.data) data = bytes;
    else if (field === FIELD.keyId) keyId = textOf(bytes);
    else if (field === FIELD.source) source = bytes;
    else if (field === FIELD.annotations) annotations.set(...mapEntryOf(bytes));
  }
  if (sourceType === undefined) throw new Error('the source type of its data key is unknown');
  if (data.length === 0) throw new Error('its encrypted data is empty');
  const object: EncryptedObject = { data, keyId, source, sourceType, annotations };
  const problem = dataKeyProblem(object);
  if (problem !== undefined) throw new Error(problem);
  return object;
}
