import type { MessageType } from '../types/message-type.ts';
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
export function decodeInto(
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
