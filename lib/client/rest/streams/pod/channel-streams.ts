import { Readable, Writable } from 'node:stream';
import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import type { MessageSocket } from '../../../transport/contract/message-socket.ts';

/** With more unread bytes on a channel the socket is not read. */
const ROOM_BYTES = 64 * 1024;
/** The content of a message; kube-apiserver reads in pieces of this size. */
const PIECE_BYTES = 32 * 1024;
/** The number of the message that ends a channel. @see k8s.io/apimachinery pkg/util/remotecommand StreamClose @ v0.36.3 */
const END_OF_CHANNEL = 255;

/**
 * The channels of one WebSocket as streams of Node. The first byte of each message is the number of its channel.
 *
 * Guarantees:
 * - While a reader has 64 KiB unread, the socket is not read. This holds up all channels of the socket.
 * - A writer may go on when the network has taken what it wrote.
 * - After the end the readers end; after a failure they fail with the error that `onClosed` has got. An error of a stream that has no
 *   listener is not thrown into the process.
 */
export class ChannelStreams {
  readonly #socket: MessageSocket;
  readonly #readers = new Map<number, Readable>();
  readonly #writers = new Set<Writable>();
  readonly #listeners = new Map<number, (content: Buffer) => void>();
  readonly #full = new Set<number>();

  constructor(socket: MessageSocket) {
    this.#socket = socket;
  }

  /** Starts to read. `onClosed` is called once when the socket has ended. */
  start(onClosed: (error: unknown) => void): void {
    this.#socket.listen({ message: (message) => this.#take(message), closed: onClosed });
  }

  readable(channel: number): Readable {
    const room = (): void => {
      if (this.#full.delete(channel) && this.#full.size === 0) this.#socket.resume();
    };
    const stream = new Readable({
      highWaterMark: ROOM_BYTES,
      read: room,
      destroy: (error, done) => {
        this.#readers.delete(channel);
        room();
        done(error);
      },
    });
    stream.on('error', () => {});
    this.#readers.set(channel, stream);
    return stream;
  }

  /** `onEnd` is called when the writer has written all. */
  writable(channel: number, onEnd: () => Promise<void>): Writable {
    const stream = new Writable({
      highWaterMark: ROOM_BYTES,
      write: (chunk: Uint8Array, _encoding, done) => {
        void passOn(this.send(channel, chunk), done);
      },
      final: (done) => {
        void passOn(onEnd(), done);
      },
      destroy: (error, done) => {
        this.#writers.delete(stream);
        done(error);
      },
    });
    stream.on('error', () => {});
    this.#writers.add(stream);
    return stream;
  }

  /** Calls `listener` with the content of each message that is not empty. */
  onMessage(channel: number, listener: (content: Buffer) => void): void {
    this.#listeners.set(channel, listener);
  }

  /** Resolves when the network has taken the content. */
  async send(channel: number, content: Uint8Array): Promise<void> {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      await this.#socket.send(message(channel, content.subarray(at, at + PIECE_BYTES)));
    }
  }

  /** Signals the end of the channel to the peer, in the fifth version of the subprotocol. */
  async sendEnd(channel: number): Promise<void> {
    await this.#socket.send(Uint8Array.of(END_OF_CHANNEL, channel));
  }

  /** Ends the streams: without an error the readers come to an end, with one they fail. */
  end(error?: unknown): void {
    const failure = error === undefined ? undefined : (error as Error);
    for (const reader of this.#readers.values()) {
      if (failure === undefined) reader.push(null);
      else reader.destroy(failure);
    }
    for (const writer of this.#writers) writer.destroy(failure);
    this.#readers.clear();
    this.#listeners.clear();
  }

  #take(bytes: Buffer): void {
    const [channel] = bytes;
    if (channel === undefined || bytes.length === 1) return;
    const content = bytes.subarray(1);
    this.#listeners.get(channel)?.(content);
    const reader = this.#readers.get(channel);
    if (reader === undefined || reader.push(content)) return;
    this.#full.add(channel);
    this.#socket.pause();
  }
}

function message(channel: number, content: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(content.length + 1);
  bytes[0] = channel;
  asBuffer(content).copy(bytes, 1);
  return bytes;
}

/** Calls `done` as a stream of Node expects it. */
export async function passOn(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
