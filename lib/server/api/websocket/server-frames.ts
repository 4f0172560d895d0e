/** Opcodes of RFC 6455 section 5.2. */
export const opcode = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

/** Reasons to close. @see RFC 6455 section 7.4.1 */
export const closeCode = { normal: 1000, protocolError: 1002, tooBig: 1009 } as const;

const FINAL = 0x80;
const NEWLINE = 0x0a;

/** Each line as one text frame, in one buffer. The newline is part of the frame, as in kube-apiserver. */
export function textFrames(lines: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < lines.length; ) {
    const newline = lines.indexOf(NEWLINE, start);
    const end = newline < 0 ? lines.length : newline + 1;
    parts.push(lines.subarray(start, end));
    start = end;
  }
  return joinFrames(opcode.text, parts);
}

/** The length in front of each message of a watch in protobuf. */
const LENGTH_BYTES = 4;

/**
 * Each message as one binary frame, in one buffer.
 * @param messages whole messages, each with its length in front, which a frame does not need
 */
export function binaryFrames(messages: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  for (let at = 0; at < messages.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + view.getUint32(at);
    parts.push(messages.subarray(start, at));
  }
  return joinFrames(opcode.binary, parts);
}

function joinFrames(code: number, parts: readonly Uint8Array[]): Buffer {
  let size = 0;
  for (const { length } of parts) size += headSize(length) + length;
  const frames = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) {
    at = writeHead(frames, at, code, part.length);
    frames.set(part, at);
    at += part.length;
  }
  return frames;
}

/** One binary frame whose first byte is the number of a channel. */
export function channelFrame(channel: number, bytes: Uint8Array): Buffer {
  const size = bytes.length + 1;
  const frame = Buffer.allocUnsafe(headSize(size) + size);
  const at = writeHead(frame, 0, opcode.binary, size);
  frame[at] = channel;
  frame.set(bytes, at + 1);
  return frame;
}

export function closeFrame(code: number): Buffer {
  return Buffer.of(FINAL | opcode.close, 2, code >> 8, code & 0xff);
}

/** @param payload at most 125 bytes */
export function pongFrame(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(FINAL | opcode.pong, payload.length), payload]);
}

function headSize(length: number): number {
  if (length < 126) return 2;
  return length < 0x1_0000 ? 4 : 10;
}

/** Returns the offset of the payload. */
function writeHead(target: Buffer, at: number, code: number, length: number): number {
  target[at] = FINAL | code;
  if (length < 126) return target.writeUInt8(length, at + 1);
  if (length < 0x1_0000) {
    target[at + 1] = 126;
    return target.writeUInt16BE(length, at + 2);
  }
  target[at + 1] = 127;
  return target.writeBigUInt64BE(BigInt(length), at + 2);
}
