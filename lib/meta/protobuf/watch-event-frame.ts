/** The bytes of the length in front of each event of a watch in protobuf; most significant first. */
export const FRAME_LENGTH_BYTES = 4;

/**
 * One event of a watch in protobuf as it goes over the wire: its length in four bytes, then a `WatchEvent`. It has no envelope, the
 * object in it has one.
 * @param object what `encodeObject` gave. It is copied.
 */
export function watchEventFrame(type: string, object: Uint8Array): Buffer {
  return Buffer.concat(watchEventPieces(type, object));
}

/** As `watchEventFrame`, in pieces, the last of which is `object`. */
export function watchEventPieces(type: string, object: Uint8Array): [Buffer, Uint8Array] {
  const text = Buffer.from(type, 'utf8');
  const raw = 1 + lengthOf(object.length) + object.length;
  const message = 1 + lengthOf(text.length) + text.length + 1 + lengthOf(raw) + raw;
  const head = Buffer.allocUnsafe(FRAME_LENGTH_BYTES + message - object.length);
  let at = head.writeUInt32BE(message, 0);
  at = writeHead(head, at, 0x0a, text.length);
  at += text.copy(head, at);
  at = writeHead(head, at, 0x12, raw);
  writeHead(head, at, 0x0a, object.length);
  return [head, object];
}

function lengthOf(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
}

function writeHead(frame: Buffer, start: number, tag: number, length: number): number {
  frame[start] = tag;
  let at = start + 1;
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) {
    frame[at] = (rest & 0x7f) | 0x80;
    at += 1;
  }
  frame[at] = rest;
  return at + 1;
}
