import type { MessageType } from '../types/message-type.ts';
import { closureDecoder } from './closure-decoder.ts';
import { Decoders } from './decoder.ts';
import { generateDecoder } from './generated-decoder.ts';
import {
  decodeInterpreted,
  type DecodeMessageOptions,
  type JsonFields,
} from './interpreted-decoder.ts';
import { mayGenerateCode } from './code-generation.ts';

export type { DecodeMessageOptions };

let decoders: Decoders | undefined;

/**
 * Decodes a message without an envelope; see `decodeObject`. Its decoder is generated when the message is first decoded, or made of
 * closures where code generation is forbidden (`--disallow-code-generation-from-strings`).
 * @throws {ProtobufError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for an unknown field that is to be refused.
 */
export function decodeMessage(
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions = {},
): JsonFields {
  return decodeInto(() => ({}), type, bytes, options);
}

/** As `decodeMessage`, into the object that `begin` makes. @throws {ProtobufError} */
export function decodeInto(
  begin: () => JsonFields,
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions,
): JsonFields {
  decoders ??= new Decoders(mayGenerateCode() ? generateDecoder : closureDecoder);
  const decoded = decoders.decode(type, bytes, {
    refuseUnknown: options.unknownFields === 'refuse',
    json: begin(),
  });
  return decoded ?? { ...begin(), ...decodeInterpreted(type, bytes, options) };
}
