import type { UnstructuredObject } from '../../../meta/object.ts';
import { encryptionHead, isEncrypted } from '../value/encrypted-value.ts';
import { JsonSerializer } from './json-serializer.ts';
import { ProtobufSerializer } from './protobuf-serializer.ts';
import { unsupported } from './scheme-error.ts';
import type { DecodeOptions, Serializer } from './serializer.ts';
import { YamlSerializer } from './yaml-serializer.ts';

const CBOR_MAGIC = Buffer.from([0xd9, 0xd9, 0xf7]);

/** Recognises the encoding by the bytes themselves, so that a database may contain several encodings. */
export class RecognizingDecoder {
  readonly #serializers: readonly Serializer[];

  /** The first serializer that recognises the bytes decodes them. @defaultValue protobuf, JSON, YAML */
  constructor(
    serializers: readonly Serializer[] = [
      new JsonSerializer(),
      new ProtobufSerializer(),
      new YamlSerializer(),
    ],
  ) {
    this.#serializers = serializers;
  }

  /** @throws {SchemeError} UNSUPPORTED_ENCODING when no serializer recognises them. */
  serializerFor(bytes: Uint8Array): Serializer {
    const serializer = this.#serializers.find((one) => one.recognizes(bytes));
    if (serializer !== undefined) return serializer;
    throw unsupported(describeUnknown(bytes));
  }

  /** @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING. */
  decode(bytes: Uint8Array, options?: DecodeOptions): UnstructuredObject {
    return this.serializerFor(bytes).decode(bytes, options);
  }
}

/** Describes bytes without showing their content, which may be secret. */
function describeUnknown(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) return 'there are no bytes';
  if (CBOR_MAGIC.equals(bytes.subarray(0, CBOR_MAGIC.byteLength))) {
    return 'the bytes are CBOR, which is not decoded';
  }
  if (isEncrypted(bytes)) {
    return `the bytes are encrypted (${encryptionHead(bytes)}): reading them requires the transformer that wrote them`;
  }
  return 'the bytes are neither JSON nor YAML nor protobuf of Kubernetes';
}
