import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ChunkReader } from './chunk-reader.ts';
import { HeadReader } from './head-reader.ts';

/** The most bytes of one read of a socket. */
const READ_BYTES = 128 * 1024;
/** With this many bytes of a body that nothing reads yet, the socket is paused. */
const ROOM_BYTES = 256 * 1024;

type Mode =
  /** The head of an answer is awaited; Node's parser gets it. */
  | 'head'
  /** The head has come, and the body waits for its reader. */
  | 'waiting'
  /** The body is read here. */
  | 'body'
  /** Node's parser gets everything. */
  | 'parser';

type Answered = (response: IncomingMessage) => void;

/** The taps of the connections of one pool. */
export class BodyTaps {
  readonly #taps = new WeakMap<Duplex, BodyTap>();

  /**
   * Makes the connections of an agent read the bodies of streams past the parser. `connect` makes sockets that take the option
   * `onread` of `net.connect`, or, with `made`, passes sockets that were made before and read in their own way.
   */
  install(agent: Agent, sockets: 'connect' | 'made' = 'connect'): void {
    if (sockets === 'connect') this.#installConnecting(agent);
    else this.#installMade(agent);
  }

  /** Sends the request of a stream for axios: as any request, and its connection knows that a stream is expected. */
  readonly transport: {
    readonly request: (options: RequestOptions, onAnswer: Answered) => ClientRequest;
  } = {
    request: (options, onAnswer) => {
      const isSecure = options.protocol === 'https:';
      const request = isSecure ? httpsRequest(options, onAnswer) : httpRequest(options, onAnswer);
      return request.once('socket', (socket) => this.#taps.get(socket)?.expectStream());
    },
  };

  /** The tap of the connection of an answer whose body comes past Node's parser; undefined for other answers. */
  tapOf(socket: Duplex | null): BodyTap | undefined {
    const tap = socket === null ? undefined : this.#taps.get(socket);
    return tap?.hasBody === true ? tap : undefined;
  }

  #installConnecting(agent: Agent): void {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const tap = new BodyTap();
      const reading: { readonly onread: OnReadOpts } = { onread: tap.onRead(buffer) };
      const socket = connect({ ...options, ...reading }, callback);
      if (socket !== undefined && socket !== null) {
        tap.attach(socket);
        this.#taps.set(socket, tap);
      }
      return socket;
    };
  }

  #installMade(agent: Agent): void {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) =>
      connect(options, (error, socket) => {
        if (socket !== undefined && socket !== null) {
          const tap = new BodyTap();
          tap.intercept(socket);
          this.#taps.set(socket, tap);
        }
        callback?.(error, socket);
      });
  }
}

/**
 * Gives the bytes of a connection to Node's HTTP parser, except for the data of chunked bodies.
 *
 * The parser allocates memory for each chunk, copies it, and passes it through a stream; for the small chunks of a watch this takes
 * longer than everything else. It gets the heads of answers, the last chunk with its trailers, and everything that is not a plain
 * chunk of a plain answer: one with status 200, chunked and not compressed. So the messages, errors and the reuse of connections
 * are those of Node.
 *
 * A runtime that does not call back as Node does, such as Bun, gets all bytes into its parser.
 */
export class BodyTap {
  readonly #head = new HeadReader();
  #socket: Socket | undefined;
  /** Gives bytes to the parser. */
  #emit: (bytes: Buffer) => void = () => {};
  #mode: Mode = 'parser';
  #chunks: ChunkReader | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #paused = false;
  #onPiece: ((piece: Buffer) => void) | undefined;

  /** The option for the connection, with the memory that all connections read into: a read and its call are one synchronous step. */
  onRead(buffer: Buffer): OnReadOpts {
    const read = (length: number, from: Buffer, of: unknown): boolean =>
      this.#read(length, from, of);
    return {
      buffer,
      callback(this: unknown, length: number): boolean {
        return read(length, buffer, this);
      },
    };
  }

  /** The connection that was made with the option. */
  attach(socket: Duplex): void {
    this.#socket = socket as Socket;
    this.#emit = (bytes) => socket.emit('data', bytes);
  }

  /** Takes the data of a connection that was made without the option: TLS over another socket ignores it. */
  intercept(socket: Duplex): void {
    const emit = socket.emit.bind(socket) as (
      event: string | symbol,
      ...args: unknown[]
    ) => boolean;
    this.#socket = socket as Socket;
    this.#emit = (bytes) => emit('data', bytes);
    socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
      if (event !== 'data') return emit(event, ...args);
      const bytes = args[0] as Buffer;
      if (!this.#take(bytes, bytes.length)) socket.pause();
      return true;
    };
  }

  /** The answer that comes next is that of a stream. */
  expectStream(): void {
    this.#mode = 'head';
    this.#head.reset();
    this.#chunks = undefined;
    this.#onPiece = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#paused = false;
  }

  get hasBody(): boolean {
    return this.#mode === 'waiting';
  }

  /** Passes the pieces of the body from now on. What comes past it, if anything, is data of the message, after these pieces. */
  start(onPiece: (piece: Buffer) => void): void {
    this.#onPiece = onPiece;
    this.#mode = 'body';
    const waiting = this.#waiting;
    const wasFull = this.#waitingBytes >= ROOM_BYTES;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const bytes of waiting) this.#body(bytes, 0, bytes.length);
    if (wasFull && !this.#paused) this.#socket?.resume();
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#socket?.resume();
  }

  /** Returns whether to go on reading. */
  #read(length: number, buffer: Buffer, of: unknown): boolean {
    const socket = this.#socket;
    if (socket === undefined || of !== socket) {
      // Bun passes no socket. Its parser may not copy, so it gets a new buffer for each read.
      this.#emit(Buffer.from(buffer.subarray(0, length)));
      return true;
    }
    return this.#take(buffer, length);
  }

  /** Returns whether to go on reading. */
  #take(buffer: Buffer, length: number): boolean {
    let at = 0;
    while (at < length && this.#mode === 'head') {
      const end = this.#head.read(buffer, at, length);
      this.#parse(buffer, at, end);
      at = end;
      if (this.#head.kind === 'body') this.#mode = 'waiting';
      else if (this.#head.kind === 'other') this.#mode = 'parser';
    }
    if (at < length) this.#body(buffer, at, length);
    return !this.#paused && this.#waitingBytes < ROOM_BYTES;
  }

  #parse(bytes: Buffer, start: number, end: number): void {
    if (start < end) this.#emit(bytes.subarray(start, end));
  }

  #body(bytes: Buffer, start: number, end: number): void {
    if (this.#mode === 'waiting') {
      this.#waiting.push(Buffer.from(bytes.subarray(start, end)));
      this.#waitingBytes += end - start;
      return;
    }
    if (this.#mode !== 'body') {
      this.#parse(bytes, start, end);
      return;
    }
    const chunks = (this.#chunks ??= new ChunkReader());
    const piece = chunks.read(bytes, start, end);
    if (piece !== undefined) this.#onPiece?.(piece);
    if (chunks.stoppedAt < 0) return;
    this.#mode = 'parser';
    const missing = Buffer.from(chunks.missing, 'latin1');
    this.#parse(missing, 0, missing.length);
    this.#parse(bytes, chunks.stoppedAt, end);
  }
}
