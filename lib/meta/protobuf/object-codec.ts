/**
 * The protobuf of Kubernetes for the built-in kinds, from their type table.
 *
 * - `encodeObject(object)` gives the bytes that kube-apiserver writes for the JSON of an object, a list, a `Status` or any other kind
 *   of the table; `decodeObject(bytes)` gives the JSON. `hasProtobuf(apiVersion, kind)` says whether a kind has protobuf; custom
 *   resources have not.
 * - `watchEventFrame(type, encodeObject(object))` is an event of a watch, with its length; `readWatchEvent` reads one.
 * - `encodeMessage` and `decodeInto` do the same without an envelope.
 *
 * All of it is synchronous, and works on plain JSON values. Decoders and encoders are made when a message is first needed.
 */
import type { KubernetesObject, UnstructuredObject } from '../object.ts';
import { builtInTypes } from '../types/built-in-types.ts';
import type { MessageType } from '../types/message-type.ts';
import { readEnvelope, writeEnvelope, type ProtobufEnvelope } from './envelope.ts';
import { writeAnyMessage } from './message-encoder.ts';
import { malformedObject, quotedText, unsupportedEncoding } from './wire/protobuf-error.ts';
import { parseRawJson } from './wire/raw-json.ts';
import { textOf } from './wire/wire-reader.ts';
import { GeneratedDecoders } from './decode/generated-decoders.ts';
import {
  decodeInterpreted,
  type DecodeMessageOptions,
  type JsonFields,
} from './decode/interpreted-decoder.ts';
import { mayGenerateCode } from './wire/code-generation.ts';

export type { DecodeMessageOptions };

const generated = new GeneratedDecoders();

/**
 * Decodes a message without an envelope, into the object that `begin` makes; see `decodeObject`. Its decoder is generated when the
 * message is first decoded. Where code generation is forbidden, the table is read for each message, which takes several times as long.
 * @throws {ProtobufError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for an unknown field that is to be refused.
 */
function decodeInto(
  begin: () => JsonFields,
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions = {},
): JsonFields {
  const decoded = mayGenerateCode()
    ? generated.decode(type, bytes, {
        refuseUnknown: options.unknownFields === 'refuse',
        json: begin(),
      })
    : undefined;
  return decoded ?? { ...begin(), ...decodeInterpreted(type, bytes, options) };
}

export interface DecodeObjectOptions extends DecodeMessageOptions {
  /** For an envelope that names no kind. @defaultValue none: such an envelope is refused */
  readonly defaults?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** The version as which an object of another one is read; both have the same fields. @defaultValue its own */
  readonly versionOf?: ((apiVersion: string, kind: string) => string) | undefined;
}

/** Whether objects of a kind can be protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return builtInTypes().kind(apiVersion, kind) !== undefined;
}

/**
 * Decodes an object with its envelope into the JSON that Go's types would write, with `apiVersion` and `kind`: zero values are left
 * out, or written as zero or null, depending on the field; times and quantities are text. Fields come in the order of the wire.
 * Whole numbers beyond 2^53 lose digits. Strings may share the memory of one text that is as long as the message.
 * @throws {ProtobufError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for a kind that is not in the table.
 */
export function decodeObject(
  bytes: Uint8Array,
  options: DecodeObjectOptions = {},
): UnstructuredObject {
  return decodeEnvelope(readEnvelope(bytes), options);
}

/** As `decodeObject`, from an envelope that is open. @throws {ProtobufError} */
export function decodeEnvelope(
  envelope: ProtobufEnvelope,
  options: DecodeObjectOptions = {},
): UnstructuredObject {
  const { raw, contentType } = envelope;
  const stored = envelope.apiVersion || (options.defaults?.apiVersion ?? '');
  const kind = envelope.kind || (options.defaults?.kind ?? '');
  const apiVersion = options.versionOf?.(stored, kind) ?? stored;
  if (contentType === 'application/json')
    return { ...typeOf(apiVersion, kind), ...jsonObject(raw) };
  // As kube-apiserver, which looks neither at the type nor at the encoding that the envelope names.
  const message = messageOf(apiVersion, kind);
  return decodeInto(() => typeOf(apiVersion, kind), message, raw, options);
}

/**
 * Encodes an object with its envelope: the bytes that kube-apiserver writes for it. Fields that the kind does not have are left out.
 * @throws {ProtobufError} MALFORMED_OBJECT for a value of another type than its field; UNSUPPORTED_ENCODING for a kind that is not in
 * the table.
 */
export function encodeObject(object: KubernetesObject): Buffer {
  const { apiVersion = '', kind = '' } = object;
  const message = messageOf(apiVersion, kind);
  return writeEnvelope(apiVersion, kind, () => writeAnyMessage(message, object));
}

function messageOf(apiVersion: string, kind: string): MessageType {
  const message = builtInTypes().kind(apiVersion, kind);
  if (message !== undefined) return message;
  throw unsupportedEncoding(
    `protobuf of ${quotedText(`${apiVersion} ${kind}`)}, which is not a built-in kind`,
  );
}

/** A document of discovery may have no version: the JSON has no field then. */
function typeOf(apiVersion: string, kind: string): Record<string, unknown> {
  return apiVersion === '' ? { kind } : { apiVersion, kind };
}

function jsonObject(raw: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseRawJson(textOf(raw));
  } catch (error) {
    throw malformedObject('the JSON in the envelope is not valid', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformedObject('the JSON in the envelope is not an object');
  }
  return value as Readonly<Record<string, unknown>>;
}
