import type { MessageType } from '../types/message-type.ts';
import { mayGenerateCode } from './wire/code-generation.ts';
import { Encoders } from './encoder.ts';
import { generateEncoder } from './generated-encoder.ts';
import { writeInterpreted } from './interpreted-encoder.ts';
import { wire, writeMessage, written } from './wire/wire-writer.ts';

/**
 * Encodes a message without an envelope; see `encodeObject`. Its encoder is generated when the message is first encoded; where code
 * generation is forbidden, the table is read for each message.
 * @throws {ProtobufError} MALFORMED_OBJECT.
 */
export function encodeMessage(
  type: MessageType,
  object: Readonly<Record<string, unknown>>,
): Buffer {
  return writeMessage(() => writeAnyMessage(type, object));
}

let encoders: Encoders | undefined;

/** As `encodeMessage`, into `wire`. @internal */
export function writeAnyMessage(type: MessageType, object: unknown): void {
  if (!mayGenerateCode()) {
    writeInterpreted(type, object);
    return;
  }
  encoders ??= new Encoders(generateEncoder);
  const before = written();
  try {
    encoders.link(type).f(object);
  } catch {
    // Something is wrong with the object: this one knows the path.
    wire.at = wire.bytes.length - before;
    writeInterpreted(type, object);
  }
}
