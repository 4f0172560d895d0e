import { finished, type Readable } from 'node:stream';
import type { IdleWatchdog } from '../../../kernel/time/idle-watchdog.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { BodyReader, ResponseBody } from '../contract/transport.ts';

/** Where pieces come from that do not come through the stream. */
export interface PieceSource {
  /** Passes the pieces from now on; those of the stream come after them. */
  start(onPiece: (piece: Uint8Array) => void): void;
  pause(): void;
  resume(): void;
}

/** A stream that decodes what comes over the connection. */
export interface StreamDecoding {
  /** Called with each piece of the stream, before its reader gets it. */
  readonly check: (piece: Uint8Array) => void;
  /** The error of the connection, once the stream has ended after it. */
  readonly broken: () => unknown;
}

export interface StreamBodyOptions {
  readonly stream: Readable;
  /** Left out: all pieces come through the stream. */
  readonly source?: PieceSource | undefined;
  readonly runtime: Runtime;
  /** Notified when a piece is awaited and when it has arrived. */
  readonly guard: IdleWatchdog;
  /** Ends the exchange: data that was received and not read is dropped. */
  readonly signal: AbortSignal;
  /** Left out: the stream is that of the connection. */
  readonly decoding?: StreamDecoding | undefined;
  /** Makes the error to throw from the error of the stream. */
  readonly explain: (error: unknown) => unknown;
}

/** The high-water mark, bytes: with this many unread bytes the stream is paused. */
const ROOM_BYTES = 256 * 1024;
/**
 * After this many milliseconds other work gets a turn. libuv reads a socket with much data up to 32 times in a row, and without
 * this limit all of that data would be processed first.
 */
const TURN_MS = 1;

/**
 * A response body in pieces as the network delivered them.
 *
 * Guarantees:
 * - After a millisecond of reading and processing, the event loop has a turn.
 * - At most 256 KiB and one read of the socket are buffered. Further data stays in the socket, and a full socket slows the
 *   sender down.
 * - When the stream breaks, the pieces before are returned before the error is thrown, unless the exchange was aborted.
 * - Leaving the loop closes the stream, also before the first piece.
 */
export class StreamBody implements ResponseBody {
  readonly #options: StreamBodyOptions;

  constructor(options: StreamBodyOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): BodyReader {
    return new StreamReader(this.#options);
  }
}

type Piece = IteratorResult<Uint8Array, undefined>;

const DONE: Piece = { done: true, value: undefined };

class StreamReader implements BodyReader {
  readonly #options: StreamBodyOptions;
  #pieces: Uint8Array[] = [];
  /** The first piece that was not returned yet. */
  #next = 0;
  #waitingBytes = 0;
  /** The time of the first piece since the last turn of the event loop; undefined if there was none. */
  #turnStartMs: number | undefined;
  #resting = false;
  #paused = false;
  #started = false;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: StreamBodyOptions) {
    this.#options = options;
  }

  async next(): Promise<Piece> {
    const { guard, signal } = this.#options;
    if (!this.#started) this.#start();
    for (;;) {
      if (signal.aborted) this.#drop();
      const value = this.poll();
      if (value !== undefined) return { done: false, value };
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error;
        return DONE;
      }
      guard.expect();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      guard.pause();
    }
  }

  poll(): Uint8Array | undefined {
    const piece = this.#pieces[this.#next];
    if (piece === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#pieces.length) this.#drop();
    return piece;
  }

  return(): Promise<Piece> {
    this.#end ??= {};
    this.#drop();
    this.#options.stream.destroy();
    this.#wake?.();
    return Promise.resolve(DONE);
  }

  #drop(): void {
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#next = 0;
    this.#waitingBytes = 0;
    this.#flow();
  }

  /** Resumes or pauses the stream. */
  #flow(): void {
    const { stream, source } = this.#options;
    const paused = this.#resting || this.#waitingBytes >= ROOM_BYTES;
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) {
      source?.pause();
      stream.pause();
    } else {
      source?.resume();
      stream.resume();
    }
  }

  #came(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    const nowMs = this.#options.runtime.monotonicMs();
    if (this.#turnStartMs === undefined) {
      this.#turnStartMs = nowMs;
      this.#options.runtime.queueTask(this.#nextTurn);
    }
    this.#resting = nowMs - this.#turnStartMs >= TURN_MS;
    this.#flow();
    this.#wake?.();
  }

  readonly #nextTurn = (): void => {
    this.#turnStartMs = undefined;
    this.#resting = false;
    this.#flow();
  };

  #start(): void {
    this.#started = true;
    const { stream, source, decoding, explain } = this.#options;
    finished(stream, { writable: false }, (ownError) => {
      const error = ownError ?? decoding?.broken();
      this.#end ??= error ? { error: explain(error) } : {};
      this.#wake?.();
    });
    const came = (piece: Uint8Array): void => {
      this.#came(piece);
    };
    if (decoding !== undefined) stream.on('data', decoding.check);
    stream.on('data', came);
    source?.start(came);
  }
}
