import { errorMessage } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import {
  isProtobuf,
  PROTOBUF_MEDIA_TYPE,
  readEnvelope,
  type ProtobufEnvelope,
} from '../../../meta/protobuf/envelope.ts';
import { decodeEnvelope, encodeObject } from '../../../meta/protobuf/object-codec.ts';
import { ProtobufError } from '../../../meta/protobuf/wire/protobuf-error.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import { parseJsonDocument } from './json-document.ts';
import { SchemeError } from './scheme-error.ts';
import { asUnstructured, type DecodeOptions, type Serializer } from './serializer.ts';

/**
 * The protobuf envelope of Kubernetes with a built-in kind (see `hasProtobuf`) inside; it also reads JSON of any kind inside.
 * Fields that a kind does not have are skipped, or refused when decoding is strict.
 * @see apimachinery pkg/runtime/serializer/protobuf @ eed236c
 * @experimental
 */
export class ProtobufSerializer implements Serializer {
  readonly encoding = 'protobuf';
  readonly mediaType: string = PROTOBUF_MEDIA_TYPE;

  recognizes(bytes: Uint8Array): boolean {
    return isProtobuf(bytes);
  }

  /** @throws {SchemeError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for unknown kinds, and for unknown fields if `strict`. */
  decode(bytes: Uint8Array, { strict = false, defaults }: DecodeOptions = {}): UnstructuredObject {
    return asSchemeError(() => {
      const envelope = readEnvelope(bytes);
      if (envelope.contentType === 'application/json') {
        return readJson(envelope, { strict, defaults });
      }
      return decodeEnvelope(envelope, {
        unknownFields: strict ? 'refuse' : 'skip',
        defaults:
          defaults === undefined
            ? undefined
            : { apiVersion: apiVersionOf(defaults), kind: defaults.kind },
      });
    });
  }

  /** @throws {ApiError} 400 for a kind without protobuf, and for a field that its type cannot hold. */
  encode(object: KubernetesObject): Uint8Array {
    try {
      return encodeObject(object);
    } catch (error) {
      throw badRequest(errorMessage(error), error);
    }
  }
}

function readJson(
  { apiVersion, kind, raw }: ProtobufEnvelope,
  { strict, defaults }: DecodeOptions,
): UnstructuredObject {
  const object = asUnstructured(parseJsonDocument(raw, { strict }));
  const version = apiVersion || (defaults === undefined ? '' : apiVersionOf(defaults));
  return {
    ...object,
    apiVersion: object.apiVersion ?? version,
    kind: object.kind ?? (kind || (defaults?.kind ?? '')),
  };
}

/**
 * Reads the envelope without decoding its content.
 * @throws {SchemeError} MALFORMED_OBJECT.
 * @experimental
 */
export function openEnvelope(bytes: Uint8Array): ProtobufEnvelope {
  return asSchemeError(() => readEnvelope(bytes));
}

function asSchemeError<R>(run: () => R): R {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProtobufError) throw new SchemeError(error.code, error.message, error);
    throw error;
  }
}
