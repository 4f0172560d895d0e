import { closeCode, opcode } from './server-frames.ts';

/** The requests that the frames of a client make. */
export interface ClientFrameSink {
  /** A ping; the payload has at most 125 bytes. */
  ping(payload: Uint8Array): void;
  /** The client closes the connection, or has broken the protocol. Nothing follows. */
  close(code: number): void;
  /** Receives messages. @defaultValue their data is dropped while it arrives */
  readonly message?: MessageSink | undefined;
}

/** Receives the data of messages, text or binary, while it arrives. */
export interface MessageSink {
  /** @param piece belongs to the sink; never empty. `starts` is true for the first piece of a message. */
  data(piece: Uint8Array, starts: boolean): void;
  /** The message is whole. */
  end(): void;
}

/** Maximum payload of a frame; kube-apiserver has the same limit. */
const LARGEST_PAYLOAD_BYTES = 32 * 1024 * 1024;
/** Maximum payload of a ping. @see RFC 6455 section 5.5 */
const LARGEST_PING_BYTES = 125;
const MASKED = 0x80;
const FINAL = 0x80;
const MASK_BYTES = 4;
/** Opcode, length, extended length and mask. */
const LONGEST_HEAD_BYTES = 14;

/**
 * Reads the frames of a client: pings, its close, and messages, which go to the sink while they arrive. The reader keeps at most 139
 * bytes. A ping that is longer than allowed is cut, and unknown opcodes are ignored, as in kube-apiserver.
 * @see RFC 6455 section 5
 */
export class ClientFrames {
  readonly #sink: ClientFrameSink;
  readonly #head = Buffer.alloc(LONGEST_HEAD_BYTES);
  readonly #ping = Buffer.alloc(LARGEST_PING_BYTES);
  #headBytes = 0;
  /** Bytes of the payload that were read, and that it has; undefined within a head. */
  #payload: { read: number; readonly size: number } | undefined;
  #closed = false;
  /** Whether the next data is the first of its message. */
  #starts = false;

  constructor(sink: ClientFrameSink) {
    this.#sink = sink;
  }

  /** Bytes from the client, cut anywhere. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#closed; ) {
      at = this.#payload === undefined ? this.#readHead(bytes, at) : this.#readPayload(bytes, at);
    }
  }

  #readHead(bytes: Uint8Array, at: number): number {
    this.#head[this.#headBytes] = bytes[at] as number;
    this.#headBytes += 1;
    if (this.#headBytes === 2 && ((this.#head[1] as number) & MASKED) === 0) {
      // A client must mask its frames: a proxy that reads them as HTTP cannot be misled then.
      this.#close(closeCode.protocolError);
    } else if (this.#headBytes >= 2 && this.#headBytes === this.#headSize()) this.#begin();
    return at + 1;
  }

  /** The size of the head, once its first two bytes are known. */
  #headSize(): number {
    const short = (this.#head[1] as number) & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    return 2 + extended + MASK_BYTES;
  }

  #begin(): void {
    const size = this.#payloadSize();
    if (size > LARGEST_PAYLOAD_BYTES) {
      this.#close(closeCode.tooBig);
      return;
    }
    this.#payload = { read: 0, size };
    if (this.#isData() && this.#opcode() !== opcode.continuation) this.#starts = true;
    if (size === 0) this.#end();
  }

  #payloadSize(): number {
    const short = (this.#head[1] as number) & 0x7f;
    if (short === 126) return this.#head.readUInt16BE(2);
    return short === 127 ? Number(this.#head.readBigUInt64BE(2)) : short;
  }

  #readPayload(bytes: Uint8Array, at: number): number {
    const payload = this.#payload as { read: number; readonly size: number };
    const end = Math.min(bytes.length, at + payload.size - payload.read);
    if (this.#opcode() === opcode.ping) {
      const mask = this.#headBytes - MASK_BYTES;
      for (let from = at; from < end && payload.read + from - at < LARGEST_PING_BYTES; from += 1) {
        const index = payload.read + from - at;
        this.#ping[index] = (bytes[from] as number) ^ (this.#head[mask + (index & 3)] as number);
      }
    }
    if (end > at && this.#isData()) this.#passOn(bytes.subarray(at, end), payload.read);
    payload.read += end - at;
    if (payload.read === payload.size) this.#end();
    return end;
  }

  #isData(): boolean {
    return this.#opcode() <= opcode.binary;
  }

  /** @param read the number of bytes of the payload before these, where the mask goes on */
  #passOn(masked: Uint8Array, read: number): void {
    const { message } = this.#sink;
    if (message === undefined) return;
    const mask = this.#headBytes - MASK_BYTES;
    const piece = Buffer.allocUnsafe(masked.length);
    for (let index = 0; index < masked.length; index += 1) {
      const key = this.#head[mask + ((read + index) & 3)] as number;
      piece[index] = (masked[index] as number) ^ key;
    }
    const starts = this.#starts;
    this.#starts = false;
    message.data(piece, starts);
  }

  #end(): void {
    const isFinal = ((this.#head[0] as number) & FINAL) !== 0;
    const size = this.#payload?.size ?? 0;
    const code = this.#opcode();
    this.#payload = undefined;
    this.#headBytes = 0;
    if (isFinal && code <= opcode.binary) this.#sink.message?.end();
    if (code === opcode.close) this.#close(closeCode.normal);
    if (code === opcode.ping) {
      this.#sink.ping(this.#ping.subarray(0, Math.min(size, LARGEST_PING_BYTES)));
    }
  }

  #opcode(): number {
    return (this.#head[0] as number) & 0x0f;
  }

  #close(code: number): void {
    this.#closed = true;
    this.#sink.close(code);
  }
}
