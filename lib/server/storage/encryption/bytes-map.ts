import type { WireReader } from '../../../meta/protobuf/wire/wire-reader.ts';
import {
  writeByteString,
  writeLength,
  writeString,
  written,
} from '../../../meta/protobuf/wire/wire-writer.ts';

const KEY_TAG = 0x0a;
const VALUE_TAG = 0x12;

/** Writes a field of type `map<string, bytes>`. */
export function writeBytesMap(entries: ReadonlyMap<string, Uint8Array>, tag: number): void {
  for (const [name, value] of [...entries].toReversed()) {
    const before = written();
    writeByteString(value, VALUE_TAG);
    writeString(name, KEY_TAG);
    writeLength(before, tag);
  }
}

/** Reads an entry of such a field. @throws {RangeError | TypeError} when it is not one. */
export function readBytesEntry(reader: WireReader): [string, Uint8Array] {
  const end = reader.messageEnd();
  let name = '';
  let value: Uint8Array = new Uint8Array(0);
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === KEY_TAG) name = reader.string();
    else if (tag === VALUE_TAG) value = reader.bytes();
    else reader.skip(tag);
  }
  return [name, value];
}
