import type { Duplex } from 'node:stream';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { deferred, type Deferred } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ChannelConnection, ChannelUpgrade } from '../../registry/contract/rest-storage.ts';
import { ClientFrames } from './client-frames.ts';
import { closeWebSocket } from './close-web-socket.ts';
import { channelFrame, closeCode, pongFrame } from './server-frames.ts';

interface ChannelQueueOptions {
  /** Called after bytes have left the queue. */
  readonly onTaken: (bytes: number) => void;
}

/** The data of one channel that its reader has not taken yet. It has one reader; a reader that leaves gets no more. */
class ChannelQueue implements AsyncIterable<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  #pieces: Uint8Array[] = [];
  #waiting: Deferred<void> | undefined;
  #ended = false;

  constructor({ onTaken }: ChannelQueueOptions) {
    this.#onTaken = onTaken;
  }

  /** Returns the number of bytes that wait now in addition: none after the end. */
  push(piece: Uint8Array): number {
    if (this.#ended) return 0;
    this.#pieces.push(piece);
    this.#waiting?.resolve();
    return piece.length;
  }

  /** The reader still gets what was pushed. */
  end(): void {
    this.#ended = true;
    this.#waiting?.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#onTaken(piece.length);
          yield piece;
        } else if (this.#ended) return undefined;
        else {
          this.#waiting = deferred<void>();
          await this.#waiting.promise;
        }
      }
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.end();
    let bytes = 0;
    for (const { length } of this.#pieces) bytes += length;
    this.#pieces = [];
    if (bytes > 0) this.#onTaken(bytes);
  }
}

export interface ChannelSocketOptions {
  /** The connection, after the handshake. */
  readonly socket: Duplex;
  /** Bytes that the client has sent after its handshake already. */
  readonly head: Uint8Array;
  readonly runtime: Runtime;
  /** Maximum time for a client to read a piece, milliseconds. */
  readonly stuckTimeoutMs: number;
  /** Maximum time for a client to close its end after the close frame, milliseconds. */
  readonly closeTimeoutMs: number;
}

/** With more from the client that waits for its reader, the socket is not read. */
const MOST_WAITING_BYTES = 64 * 1024;
/** More that waits for the client breaks the connection. A single `send` may be larger. */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;
const LARGEST_FRAME_BYTES = 32 * 1024;
const LARGEST_MESSAGE_BYTES = 4096;
/** A client that sends pings and does not read gets no more pongs while so many bytes wait for it. */
const MOST_WAITING_FOR_PONG_BYTES = 64 * 1024;
/** The first byte of the message that ends a channel. */
const END_OF_CHANNEL = 255;

interface ChannelReader {
  /** Returns the number of bytes that wait now in addition. */
  data(piece: Uint8Array): number;
  messageEnd(): void;
}

/**
 * The channels of one WebSocket.
 *
 * Guarantees:
 * - At most 64 KiB and one read of the socket wait for the readers; until then the socket is paused. A reader that takes nothing so
 *   also delays the other channels, pings, and the news that the client has gone.
 * - It ends with a close frame of code 1000 after the run, after `end` and after the close of the client; with 1002 or 1009 when the
 *   client breaks the protocol.
 */
export class ChannelSocket implements ChannelConnection {
  readonly #options: ChannelSocketOptions;
  readonly #abort = new AbortController();
  readonly #over = deferred<void>();
  readonly #readers = new Map<number, ChannelReader>();
  readonly #queues = new Map<number, ChannelQueue>();
  #wake: (() => void) | undefined;
  #waitingBytes = 0;
  #unsentBytes = 0;
  #sent: Promise<void> = Promise.resolve();
  /** The channel of the message that is being read. */
  #channel: number | undefined;
  #halfClose = false;

  constructor(options: ChannelSocketOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Resolves when the close frame was passed to the socket, or the connection is lost. After a rejection the socket has to be
   * destroyed.
   * @throws {ListwatchError} code TIMEOUT when the client reads nothing for too long; BUFFER_FULL when too much waits for it.
   */
  async serve({ run, halfClose }: ChannelUpgrade): Promise<void> {
    this.#halfClose = halfClose;
    const work = run(this);
    this.#read();
    await Promise.race([work.then(() => this.#sent), this.#over.promise]);
    this.#close(closeCode.normal);
  }

  /** Ends the connection: the signal aborts, what waits to be sent is dropped. */
  end(): void {
    this.#close(closeCode.normal);
  }

  incoming(channel: number): AsyncIterable<Uint8Array> {
    const queue = new ChannelQueue({
      onTaken: (bytes) => {
        this.#waitingBytes -= bytes;
        if (this.#waitingBytes <= MOST_WAITING_BYTES) this.#options.socket.resume();
      },
    });
    if (this.signal.aborted) queue.end();
    this.#queues.set(channel, queue);
    this.#readers.set(channel, { data: (piece) => queue.push(piece), messageEnd: () => {} });
    return queue;
  }

  onMessage(channel: number, listener: (message: Uint8Array) => void): void {
    let pieces: Uint8Array[] = [];
    let size = 0;
    this.#readers.set(channel, {
      data: (piece) => {
        size += piece.length;
        if (size <= LARGEST_MESSAGE_BYTES) pieces.push(piece);
        return 0;
      },
      messageEnd: () => {
        const message = Buffer.concat(pieces);
        const isWhole = size <= LARGEST_MESSAGE_BYTES;
        [pieces, size] = [[], 0];
        if (isWhole) listener(message);
      },
    });
  }

  send(channel: number, bytes: Uint8Array): Promise<void> {
    if (this.#unsentBytes > 0 && this.#unsentBytes + bytes.length > MOST_UNSENT_BYTES) {
      const message = `more than ${MOST_UNSENT_BYTES} bytes wait for the client; await each write`;
      this.#fail(new ListwatchError('BUFFER_FULL', message));
    }
    this.#unsentBytes += bytes.length;
    const sent = this.#sent.then(async () => {
      try {
        await this.#write(channel, bytes);
      } finally {
        this.#unsentBytes -= bytes.length;
      }
    });
    // The next one is sent after this one, and fails itself if it has to.
    this.#sent = sent.catch(() => {});
    return sent;
  }

  async #write(channel: number, bytes: Uint8Array): Promise<void> {
    const { socket } = this.#options;
    let at = 0;
    do {
      this.signal.throwIfAborted();
      const piece = bytes.subarray(at, at + LARGEST_FRAME_BYTES);
      if (!socket.write(channelFrame(channel, piece))) await this.#drained();
      at += LARGEST_FRAME_BYTES;
    } while (at < bytes.length);
  }

  /** Resolves when more can be written. @throws the reason of the signal. */
  async #drained(): Promise<void> {
    const { runtime, stuckTimeoutMs } = this.#options;
    const turn = deferred<void>();
    this.#wake = (): void => {
      turn.resolve();
    };
    const timer = runtime.setTimer(stuckTimeoutMs, () => {
      const message = `the client read nothing of its streams for ${stuckTimeoutMs} ms`;
      this.#fail(new ListwatchError('TIMEOUT', message));
    });
    await turn.promise;
    timer.cancel();
    this.#wake = undefined;
    this.signal.throwIfAborted();
  }

  #read(): void {
    const { socket, head } = this.#options;
    const frames = new ClientFrames({
      ping: (payload) => {
        if (!this.signal.aborted && socket.writableLength < MOST_WAITING_FOR_PONG_BYTES) {
          socket.write(pongFrame(payload));
        }
      },
      close: (code) => {
        this.#close(code);
      },
      message: {
        data: (piece, starts) => {
          this.#data(piece, starts);
        },
        end: () => {
          if (this.#channel !== undefined) this.#readers.get(this.#channel)?.messageEnd();
          this.#channel = undefined;
        },
      },
    });
    socket.on('drain', () => this.#wake?.());
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.end();
      });
    }
    frames.push(head);
    socket.on('data', (bytes: Uint8Array) => {
      frames.push(bytes);
      this.#pauseIfFull();
    });
    this.#pauseIfFull();
  }

  #pauseIfFull(): void {
    if (this.#waitingBytes > MOST_WAITING_BYTES && !this.signal.aborted) {
      this.#options.socket.pause();
    }
  }

  #data(piece: Uint8Array, starts: boolean): void {
    let content = piece;
    if (starts) {
      this.#channel = piece[0];
      content = piece.subarray(1);
    }
    if (content.length === 0 || this.#channel === undefined) return;
    if (this.#halfClose && this.#channel === END_OF_CHANNEL) {
      this.#queues.get(content[0] as number)?.end();
    } else this.#waitingBytes += this.#readers.get(this.#channel)?.data(content) ?? 0;
  }

  #fail(error: ListwatchError): void {
    if (this.signal.aborted) return;
    this.#leave(error);
    this.#over.reject(error);
  }

  #close(code: number): void {
    if (this.signal.aborted) return;
    this.#leave(new ListwatchError('ABORTED', 'the connection has ended'));
    this.#over.resolve();
    const { socket } = this.#options;
    // Only a socket that is read reports the end of the client.
    socket.resume();
    if (!socket.destroyed) closeWebSocket(code, this.#options);
  }

  #leave(reason: ListwatchError): void {
    this.#abort.abort(reason);
    for (const queue of this.#queues.values()) queue.end();
    this.#wake?.();
  }
}
