import { errorMessage } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf, type GroupVersion } from '../../../meta/resource.ts';
import { jsonCodec, type Codec } from '../value/codec.ts';
import { RecognizingDecoder } from './recognizing-decoder.ts';
import type { Scheme } from './scheme.ts';
import { kindName, SchemeError } from './scheme-error.ts';
import type { DecodeOptions, Serializer } from './serializer.ts';

/** @experimental */
export interface CodecFactoryOptions {
  /** @defaultValue JSON, protobuf, YAML */
  readonly serializers?: readonly Serializer[] | undefined;
  /** Refuses objects in which a field occurs twice. @defaultValue false */
  readonly strict?: boolean | undefined;
}

/** @experimental */
export interface CodecOptions {
  /** The version in which objects are written. Objects stored in other versions can be read, and the next update rewrites them. */
  readonly storageVersion: GroupVersion;
}

/**
 * Makes the codecs of a scheme.
 *
 * Guarantees:
 * - The decoder is chosen by the bytes, not by configuration: a database may contain JSON, YAML and protobuf, in all versions
 *   that the scheme has.
 * - A decoded object has its defaults and is in the hub version of its kind. An encoded one is JSON in the storage version; the
 *   same content gives the same bytes.
 *
 * @see apimachinery pkg/runtime/serializer/codec_factory.go @ eed236c
 * @experimental
 */
export class CodecFactory {
  readonly scheme: Scheme;
  readonly #decoder: RecognizingDecoder;
  readonly #options: DecodeOptions;

  constructor(scheme: Scheme, { serializers, strict }: CodecFactoryOptions = {}) {
    this.scheme = scheme;
    this.#decoder = new RecognizingDecoder(serializers);
    this.#options = { strict };
  }

  /**
   * Decodes an object in its own version and without defaults.
   * @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING.
   */
  deserialize(bytes: Uint8Array): UnstructuredObject {
    return this.#decoder.decode(bytes, this.#options);
  }

  /**
   * Decodes an object, adds its defaults and converts it to the hub version of its kind.
   * @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING, UNKNOWN_KIND, NO_CONVERSION, CONVERSION.
   */
  decode(bytes: Uint8Array): UnstructuredObject {
    const { scheme } = this;
    const object = this.deserialize(bytes);
    const gvk = scheme.kindOf(object);
    if (scheme.isInternal(gvk)) {
      throw new SchemeError('UNKNOWN_KIND', `${kindName(gvk)} is internal, and cannot be stored`);
    }
    scheme.applyDefaults(object);
    return scheme.convert(object, scheme.hubOf(gvk));
  }

  /**
   * The codec of a storage. Its `encode` throws a SchemeError as well: UNKNOWN_KIND, NO_CONVERSION, CONVERSION.
   * @throws {SchemeError} UNKNOWN_KIND when the scheme has no kind in the storage version.
   */
  codecFor<T extends KubernetesObject = UnstructuredObject>(options: CodecOptions): Codec<T> {
    return new SchemeCodec(this, options.storageVersion) as Codec as Codec<T>;
  }
}

/**
 * The codec of a scheme with the default serializers; see `CodecFactory.codecFor`. @throws {SchemeError} UNKNOWN_KIND.
 *
 * @experimental
 */
export function codecFor<T extends KubernetesObject = UnstructuredObject>(
  scheme: Scheme,
  options: CodecOptions,
): Codec<T> {
  return new CodecFactory(scheme).codecFor<T>(options);
}

const json = jsonCodec();
/** Maximum length of a kind in bytes, when it is read from encoded JSON. */
const LONGEST_KIND_BYTES = 256;

class SchemeCodec implements Codec {
  readonly #factory: CodecFactory;
  readonly #version: GroupVersion;
  /** The prefix of every value that this codec writes. */
  readonly #head: Buffer;

  constructor(factory: CodecFactory, version: GroupVersion) {
    const apiVersion = apiVersionOf(version);
    if (!factory.scheme.prioritizedVersions(version.group).includes(version.version)) {
      throw new SchemeError('UNKNOWN_KIND', `the scheme knows no kind of ${apiVersion} to store`);
    }
    this.#factory = factory;
    this.#version = version;
    this.#head = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"kind":"`, 'utf8');
  }

  encode(object: KubernetesObject): Uint8Array {
    const { scheme } = this.#factory;
    const { group, version } = scheme.kindOf(object);
    if (version === this.#version.version && group === this.#version.group) {
      return json.encode(object);
    }
    return json.encode(scheme.convert(ownCopy(object), this.#version));
  }

  decode(bytes: Uint8Array): UnstructuredObject {
    return this.#factory.decode(bytes);
  }

  /** A value of the hub version without defaulting functions is the JSON document already. */
  documentOf(bytes: Uint8Array): Uint8Array | undefined {
    const head = this.#head;
    if (!head.equals(bytes.subarray(0, head.byteLength))) return undefined;
    const end = bytes.indexOf(0x22, head.byteLength);
    if (end < 0 || end > head.byteLength + LONGEST_KIND_BYTES) return undefined;
    const { group, version } = this.#version;
    const kind = Buffer.from(bytes.subarray(head.byteLength, end)).toString('utf8');
    const gvk = { group, version, kind };
    const { scheme } = this.#factory;
    if (!scheme.recognizes(gvk) || scheme.hasDefaulting(gvk)) return undefined;
    return scheme.hubOf(gvk).version === version ? bytes : undefined;
  }
}

function ownCopy(object: KubernetesObject): UnstructuredObject {
  try {
    return structuredClone(object) as UnstructuredObject;
  } catch (error) {
    throw badRequest(`the object cannot be written as JSON: ${errorMessage(error)}`, error);
  }
}
