import type { MessageType } from '../types/message-type.ts';
import { closureDecoder } from './decode/closure-decoder.ts';
import { Decoders } from './decode/decoder.ts';
import { generateDecoder } from './decode/generated-decoder.ts';
import {
  decodeInterpreted,
  type DecodeMessageOptions,
  type JsonFields,
} from './decode/interpreted-decoder.ts';
import { mayGenerateCode } from './wire/code-generation.ts';

export type { DecodeMessageOptions };

let decoders: Decoders | undefined;

/**
 * Decodes a message without an envelope, into the object that `begin` makes; see `decodeObject`. Its decoder is generated when the
 * message is first decoded, or made of closures where code generation is forbidden (`--disallow-code-generation-from-strings`).
 * @throws {ProtobufError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for an unknown field that is to be refused.
 */
export function decodeInto(
  begin: () => JsonFields,
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions = {},
): JsonFields {
  decoders ??= new Decoders(mayGenerateCode() ? generateDecoder : closureDecoder);
  const decoded = decoders.decode(type, bytes, {
    refuseUnknown: options.unknownFields === 'refuse',
    json: begin(),
  });
  return decoded ?? { ...begin(), ...decodeInterpreted(type, bytes, options) };
}
