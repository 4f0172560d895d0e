import type { MessageType } from '../types/message-type.ts';
import { GeneratedEncoders } from './generated-encoders.ts';
import { InterpretedEncoder } from './interpreted-encoder.ts';
import { mayGenerateCode } from './wire/code-generation.ts';
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

const generated = new GeneratedEncoders();
const interpreted = new InterpretedEncoder();

/** As `encodeMessage`, into `wire`. */
export function writeAnyMessage(type: MessageType, object: unknown): void {
  if (!mayGenerateCode()) {
    interpreted.write(type, object);
    return;
  }
  const before = written();
  try {
    generated.link(type).f(object);
  } catch {
    // Something is wrong with the object. The interpreter finds the path.
    wire.at = wire.bytes.length - before;
    interpreted.write(type, object);
  }
}
