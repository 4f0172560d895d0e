import type { MessageType } from '../types/message-type.ts';
import {
  decodeInterpreted,
  type DecodeMessageOptions,
  type JsonFields,
} from './interpreted-decoder.ts';

export type { DecodeMessageOptions };

/**
 * Decodes a message without an envelope; see `decodeObject`.
 * @throws {ProtobufError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for an unknown field that is to be refused.
 */
export function decodeMessage(
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions = {},
): JsonFields {
  return decodeInterpreted(type, bytes, options);
}
