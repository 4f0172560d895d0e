import { connect, type Socket } from 'node:net';
import { until } from '../../../support/until.ts';

/** A frame from the server. */
export interface ServerFrame {
  readonly opcode: number;
  readonly masked: boolean;
  readonly final: boolean;
  readonly payload: Buffer;
}

const MASK = Buffer.of(0x12, 0x34, 0x56, 0x78);

/** The bytes of a frame as a client sends it. The characters of the payload are bytes. */
export function clientFrame(
  opcode: number,
  payload: string,
  { masked = true, final = true }: { readonly masked?: boolean; readonly final?: boolean } = {},
): Buffer {
  const bytes = Buffer.from(payload, 'latin1');
  const size = bytes.length;
  const flag = masked ? 0x80 : 0;
  const long = Buffer.alloc(size < 126 ? 0 : size < 65_536 ? 2 : 8);
  if (long.length === 2) long.writeUInt16BE(size);
  if (long.length === 8) long.writeBigUInt64BE(BigInt(size));
  const short = long.length === 0 ? size : long.length === 2 ? 126 : 127;
  const content = masked ? bytes.map((byte, at) => byte ^ (MASK[at & 3] as number)) : bytes;
  const first = (final ? 0x80 : 0) | opcode;
  return Buffer.concat([
    Buffer.of(first, flag | short),
    long,
    masked ? MASK : Buffer.alloc(0),
    content,
  ]);
}

/** The small half of a WebSocket client that a spec needs, over a plain socket. */
export class WebSocketClient {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);

  constructor(port: number, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
    });
    const all = {
      Host: 'localhost',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      Origin: 'http://localhost',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** All that was received, as text. */
  get text(): string {
    return this.#bytes.toString('latin1');
  }

  /** The frames after the head of the answer, without a cut one. */
  get frames(): ServerFrame[] {
    const bytes = this.#bytes;
    const frames: ServerFrame[] = [];
    let at = bytes.indexOf('\r\n\r\n') + 4;
    while (at + 2 <= bytes.length) {
      const [first, second] = [bytes[at] as number, bytes[at + 1] as number];
      let size = second & 0x7f;
      let from = at + 2;
      if (size === 126) [size, from] = [bytes.readUInt16BE(from), from + 2];
      else if (size === 127) [size, from] = [Number(bytes.readBigUInt64BE(from)), from + 8];
      if (from + size > bytes.length) break;
      const payload = bytes.subarray(from, from + size);
      frames.push({ opcode: first & 15, final: first > 127, masked: second > 127, payload });
      at = from + size;
    }
    return frames;
  }

  /** The payloads of the text frames. */
  get texts(): string[] {
    return this.frames
      .filter(({ opcode }) => opcode === 1)
      .map(({ payload }) => payload.toString());
  }

  /** The codes of the close frames. */
  get closes(): number[] {
    return this.frames
      .filter(({ opcode }) => opcode === 8)
      .map(({ payload }) => payload.readUInt16BE(0));
  }

  async upgraded(): Promise<this> {
    await until('the answer', () => this.text.includes('\r\n\r\n'));
    if (!this.text.startsWith('HTTP/1.1 101 ')) throw new Error(`not upgraded: ${this.text}`);
    return this;
  }

  async closed(): Promise<void> {
    await until('the end of the connection', () => this.socket.destroyed);
  }
}
