import type { MessageType } from '../types/message-type.ts';
import { writeInterpreted } from './interpreted-encoder.ts';
import { writeMessage } from './wire-writer.ts';

/**
 * Encodes a message without an envelope; see `encodeObject`.
 * @throws {ProtobufError} MALFORMED_OBJECT.
 */
export function encodeMessage(
  type: MessageType,
  object: Readonly<Record<string, unknown>>,
): Buffer {
  return writeMessage(() => writeAnyMessage(type, object));
}

/** As `encodeMessage`, into `wire`. @internal */
export function writeAnyMessage(type: MessageType, object: unknown): void {
  writeInterpreted(type, object);
}
