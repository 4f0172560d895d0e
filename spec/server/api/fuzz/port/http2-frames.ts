/** Types of frames. @see RFC 9113 section 6 */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;

export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** Headers as literals without an index and without Huffman coding. @see RFC 7541 section 6.2.2 */
export function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [[0], text(name), text(value)].map(bytes)),
  );
}

function bytes(value: Uint8Array | readonly number[]): Buffer {
  return Buffer.from(value as Uint8Array);
}

function text(value: string): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([integer(content.length), content]);
}

function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const parts = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) parts.push((rest % 128) + 128);
  return Buffer.from([...parts, rest]);
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [at, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * at);
    payload.writeUInt32BE(value >>> 0, 6 * at + 2);
  }
  return frame(frameType.settings, 0, 0, payload);
}

export function uint32(value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value >>> 0);
  return payload;
}

/** A frame of the server. */
export interface ReadFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Reads the frames of a connection from its pieces. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  push(piece: Buffer): ReadFrame[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const frames: ReadFrame[] = [];
    while (this.#rest.length >= 9) {
      const size = this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < 9 + size) break;
      const [type, flags] = [this.#rest[3] as number, this.#rest[4] as number];
      const stream = this.#rest.readUInt32BE(5) & 0x7fffffff;
      frames.push({ type, flags, stream, payload: this.#rest.subarray(9, 9 + size) });
      this.#rest = this.#rest.subarray(9 + size);
    }
    return frames;
  }
}

/** The status with the index 14 of the static table of headers, and updates of the size of the dynamic one before it. */
const STATUS_500 = 0x8e;

/** Whether the block of headers of an answer begins with the status 500, as servers of nghttp2 encode it. */
export function isStatus500(block: Buffer): boolean {
  let at = 0;
  while (at < block.length && ((block[at] as number) & 0xe0) === 0x20) {
    const isLong = ((block[at] as number) & 0x1f) === 0x1f;
    at += 1;
    if (isLong) while (((block[at++] as number) & 0x80) !== 0);
  }
  return block[at] === STATUS_500;
}
