import { errorMessage } from '../../../kernel/errors.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import { builtInMessage } from './built-in-messages.ts';
import { parseJsonDocument } from './json-document.ts';
import { decodeMessage } from './protobuf-message.ts';
import { isSchemeError, malformed, quoted, unsupported } from './scheme-error.ts';
import { asUnstructured, type DecodeOptions, type Serializer } from './serializer.ts';
import { WireReader } from './wire-reader.ts';

export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/** The prefix of a protobuf document: `k8s` and a zero. */
const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** The envelope of every object in protobuf. It names the kind, so that the object need not be decoded for that. */
export interface ProtobufEnvelope {
  /** Empty when the envelope has none. */
  readonly apiVersion: string;
  /** Empty when the envelope has none. */
  readonly kind: string;
  readonly raw: Uint8Array;
  /** Empty for no encoding. */
  readonly contentEncoding: string;
  /** The content type of `raw`; empty for protobuf. */
  readonly contentType: string;
}

/**
 * Reads the protobuf envelope of Kubernetes with a built-in kind (see `builtInMessage`) or JSON of any kind inside. There is no
 * `encode`: every client that accepts protobuf also accepts JSON.
 * @see apimachinery pkg/runtime/serializer/protobuf @ eed236c
 */
export class ProtobufSerializer implements Serializer {
  readonly encoding = 'protobuf';
  readonly mediaType: string = PROTOBUF_MEDIA_TYPE;

  recognizes(bytes: Uint8Array): boolean {
    return MAGIC.every((byte, index) => bytes[index] === byte);
  }

  /** @throws {SchemeError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for unknown kinds and fields. */
  decode(bytes: Uint8Array, { strict, defaults }: DecodeOptions = {}): UnstructuredObject {
    const envelope = openEnvelope(bytes);
    const { raw, contentEncoding, contentType } = envelope;
    const apiVersion =
      envelope.apiVersion || (defaults === undefined ? '' : apiVersionOf(defaults));
    const kind = envelope.kind || (defaults?.kind ?? '');
    if (contentEncoding !== '') {
      throw unsupported(`protobuf around content in the encoding ${quoted(contentEncoding)}`);
    }
    if (contentType === 'application/json') {
      const object = asUnstructured(parseJsonDocument(raw, { strict }));
      return { ...object, apiVersion: object.apiVersion ?? apiVersion, kind: object.kind ?? kind };
    }
    if (contentType !== '' && contentType !== PROTOBUF_MEDIA_TYPE) {
      throw unsupported(`protobuf around content of the type ${quoted(contentType)}`);
    }
    const message = builtInMessage(apiVersion, kind);
    if (message === undefined) {
      throw unsupported(
        `protobuf of ${quoted(`${apiVersion} ${kind}`)}, which is not a built-in kind`,
      );
    }
    return { apiVersion, kind, ...decodeMessage(message, raw) };
  }
}

/**
 * Reads the envelope without decoding its content.
 * @throws {SchemeError} MALFORMED_OBJECT.
 */
export function openEnvelope(bytes: Uint8Array): ProtobufEnvelope {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw malformed('the bytes are not protobuf of Kubernetes: that starts with "k8s" and a zero');
  }
  try {
    const {
      typeMeta,
      raw = EMPTY,
      contentEncoding,
      contentType,
    } = readFields(bytes.subarray(MAGIC.length), [
      'typeMeta',
      'raw',
      'contentEncoding',
      'contentType',
    ]);
    const { apiVersion, kind } = readFields(typeMeta ?? EMPTY, ['apiVersion', 'kind']);
    return {
      apiVersion: textOf(apiVersion),
      kind: textOf(kind),
      raw,
      contentEncoding: textOf(contentEncoding),
      contentType: textOf(contentType),
    };
  } catch (error) {
    if (isSchemeError(error)) throw error;
    throw malformed(`the envelope is not valid protobuf: ${errorMessage(error)}`, error);
  }
}

const EMPTY = new Uint8Array();
const LENGTH_DELIMITED = 2;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : utf8.decode(bytes);
}

/** A message whose fields, numbered from 1, are all strings, bytes or messages. */
function readFields<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
): Partial<Record<Name, Uint8Array>> {
  const fields: Partial<Record<Name, Uint8Array>> = {};
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const tag = reader.uint32();
    const name = names[(tag >>> 3) - 1];
    if (name === undefined || (tag & 7) !== LENGTH_DELIMITED) {
      throw malformed(
        `the envelope is not valid protobuf: ${tag} is not the tag of one of its fields`,
      );
    }
    fields[name] = reader.bytes();
  }
  return fields;
}
