import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { readFields } from '../../../lib/meta/protobuf/envelope.ts';
import { malformedObject, ProtobufError } from '../../../lib/meta/protobuf/wire/protobuf-error.ts';
import { textOf } from '../../../lib/meta/protobuf/wire/wire-reader.ts';

const EMPTY = new Uint8Array();

/**
 * The type and the object of an event of a watch, from a frame without its length. The object is a view of `frame`, for
 * `decodeObject`.
 * @throws {ProtobufError} MALFORMED_OBJECT.
 */
export function readWatchEvent(frame: Uint8Array): {
  readonly type: string;
  readonly object: Uint8Array;
} {
  try {
    const [type = EMPTY, extension = EMPTY] = readFields(frame, 2);
    const [object = EMPTY] = readFields(extension, 1);
    return { type: textOf(type), object };
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw malformedObject(`the event is not valid protobuf: ${errorMessage(error)}`, error);
  }
}
