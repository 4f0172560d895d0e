import { errorMessage } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { isProtobuf, PROTOBUF_MEDIA_TYPE } from '../../../meta/protobuf/envelope.ts';
import { decodeObject, encodeObject, hasProtobuf } from '../../../meta/protobuf/object-codec.ts';
import { jsonCodec, type Codec } from '../value/codec.ts';

/**
 * The beginning of a CustomResourceDefinition as kube-apiserver stores it: JSON in the version v1beta1, which it does not serve any
 * more. Everything else that is JSON in its store is a custom resource.
 */
const V1BETA1_HEAD = Buffer.from(
  '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1"',
);
const OLD_VERSION = 'apiextensions.k8s.io/v1beta1';
const SECOND_LETTER = 2;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a stored value is a definition in the version v1beta1, by its first bytes. */
export function isOldDefinition(bytes: Uint8Array): boolean {
  // Values that are written here begin with `apiVersion`.
  if (bytes[SECOND_LETTER] !== V1BETA1_HEAD[SECOND_LETTER]) return false;
  return V1BETA1_HEAD.equals(bytes.subarray(0, V1BETA1_HEAD.length));
}

/** A definition in the version v1 as kube-apiserver converts it; all other objects are returned as they are. */
function currentDefinition(object: UnstructuredObject): UnstructuredObject {
  if (object.apiVersion !== OLD_VERSION || object.kind !== 'CustomResourceDefinition')
    return object;
  const spec = (object['spec'] ?? {}) as Fields;
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1', spec: currentSpec(spec) };
}

/** The common fields of all versions stand beside them in v1beta1, and in each of them in v1. */
function currentSpec(spec: Fields): Fields {
  const {
    version,
    versions,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    preserveUnknownFields,
    conversion,
    ...rest
  } = spec;
  const common = { schema: validation, subresources, additionalPrinterColumns, selectableFields };
  const own = (versions ?? [{ name: version, served: true, storage: true }]) as readonly Fields[];
  return {
    ...rest,
    versions: own.map((one) => currentVersion({ ...one, ...defined(common) })),
    ...(conversion === undefined ? {} : { conversion: currentConversion(conversion as Fields) }),
    ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
  };
}

function currentVersion({ additionalPrinterColumns, ...rest }: Fields): Fields {
  if (additionalPrinterColumns === undefined) return rest;
  const columns = additionalPrinterColumns as readonly Fields[];
  return {
    ...rest,
    additionalPrinterColumns: columns.map(({ JSONPath: jsonPath, ...column }) => ({
      ...column,
      jsonPath,
    })),
  };
}

function currentConversion(conversion: Fields): Fields {
  const { strategy, webhookClientConfig, conversionReviewVersions } = conversion;
  if (webhookClientConfig === undefined) return { strategy };
  const webhook = defined({ clientConfig: webhookClientConfig, conversionReviewVersions });
  return { strategy, webhook };
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Versions of built-in kinds that a storage may have and that are not served here, by the version that is, which has the same fields.
 * kube-apiserver 1.36 itself writes policies of mutating admission as v1beta1; an older one has left the others.
 */
const SERVED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'admissionregistration.k8s.io',
    [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ],
  ],
  ['networking.k8s.io', ['IPAddress', 'ServiceCIDR']],
  ['storage.k8s.io', ['VolumeAttributesClass']],
]);

const OLD = '/v1beta1';

/** The version in which an object that is stored in this one is served; the same one for most. */
function servedVersion(apiVersion: string, kind: string): string {
  if (!apiVersion.endsWith(OLD)) return apiVersion;
  const group = apiVersion.slice(0, -OLD.length);
  return SERVED.get(group)?.includes(kind) === true ? `${group}/v1` : apiVersion;
}

/** An object from the storage in the version in which it is served. */
function inServedVersion(object: UnstructuredObject): UnstructuredObject {
  const { apiVersion = '', kind = '' } = object;
  const served = servedVersion(apiVersion, kind);
  return served === apiVersion ? object : { ...object, apiVersion: served };
}

/** How objects are written into the storage, as in the flag `--storage-media-type` of kube-apiserver. */
export type StorageMediaType = 'application/json' | 'application/vnd.kubernetes.protobuf';

export const STORAGE_MEDIA_TYPES: readonly StorageMediaType[] = [
  'application/json',
  PROTOBUF_MEDIA_TYPE,
];

/** How stored objects are written and read. */
export interface StoredObjectCodecOptions {
  /** @defaultValue application/json */
  readonly mediaType?: StorageMediaType | undefined;
  /** Completes an object that was stored as protobuf, such as by a kube-apiserver. It may change the object. */
  readonly complete?: ((object: UnstructuredObject) => UnstructuredObject) | undefined;
  /**
   * Whether objects in JSON are completed as well: a newer server may have stored fields that this one does not have. Then no stored bytes
   * are answers. @defaultValue false
   */
  readonly completesJson?: boolean | undefined;
}

/**
 * The codec of a server's storage. It reads JSON and protobuf side by side, by the first bytes of the value. It writes one of them;
 * custom resources, which have no protobuf, are always JSON. An update rewrites an object that is stored in the other one.
 *
 * With JSON, which is the default, stored bytes are answers already: a list or a watch does not decode them. With protobuf they take
 * two thirds of the memory, and a kube-apiserver over the same etcd finds what it would have written.
 */
export function storedObjectCodec({
  mediaType = 'application/json',
  complete = (object) => object,
  completesJson = false,
}: StoredObjectCodecOptions = {}): Codec<UnstructuredObject> {
  const json = jsonCodec<UnstructuredObject>();
  const isProtobufWritten = mediaType === PROTOBUF_MEDIA_TYPE;
  const read = (bytes: Uint8Array): UnstructuredObject => {
    const object = inServedVersion(currentDefinition(json.decode(bytes)));
    const { apiVersion = '', kind = '' } = object;
    return completesJson && hasProtobuf(apiVersion, kind) ? complete(object) : object;
  };
  return {
    encode: (object) => (isProtobufWritten ? encode(object, json) : json.encode(object)),
    decode: (bytes) => (isProtobuf(bytes) ? complete(decodeObject(bytes, READ)) : read(bytes)),
    documentOf: (bytes) =>
      completesJson || isProtobuf(bytes) || isOldDefinition(bytes) ? undefined : oneLine(bytes),
  };
}

const READ = { versionOf: servedVersion };
const LINE_END = 0x0a;
const QUOTE = 0x22;
const CLOSE = 0x7d;

/**
 * A document is a line of a watch. A kube-apiserver ends what it stores with a line end; a document of several lines is made again. This
 * runs for each watcher of an event, so it looks at the ends only: JSON of several lines breaks its first one after the brace.
 */
function oneLine(bytes: Uint8Array): Uint8Array | undefined {
  const end = bytes.length - 1;
  if (bytes[1] === QUOTE) {
    if (bytes[end] === CLOSE) return bytes;
    if (bytes[end] === LINE_END && bytes[end - 1] === CLOSE) return bytes.subarray(0, end);
  }
  return bytes.includes(LINE_END) ? undefined : bytes;
}

function encode(object: UnstructuredObject, json: Codec<UnstructuredObject>): Uint8Array {
  const { apiVersion, kind } = object;
  if (
    typeof apiVersion !== 'string' ||
    typeof kind !== 'string' ||
    !hasProtobuf(apiVersion, kind)
  ) {
    return json.encode(object);
  }
  try {
    return encodeObject(withoutServerFields(object));
  } catch (error) {
    throw badRequest(errorMessage(error), error);
  }
}

/** The resource version is the revision of the value, and is not part of it. */
function withoutServerFields(object: UnstructuredObject): KubernetesObject {
  const fields: Readonly<Record<string, unknown>> = { ...object.metadata };
  const { resourceVersion: _version, selfLink: _link, ...metadata } = fields;
  return { ...object, metadata };
}
