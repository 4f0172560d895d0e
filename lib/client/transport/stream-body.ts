import { finished, type Readable } from 'node:stream';
import type { IdleWatchdog } from '../../kernel/idle-watchdog.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { BodyReader, ResponseBody } from './transport.ts';

export interface StreamBodyOptions {
  readonly stream: Readable;
  readonly runtime: Runtime;
  /** Told when a piece is expected and when it came. */
  readonly guard: IdleWatchdog;
  /** Ends the exchange: what has come in and was not read is dropped then. */
  readonly signal: AbortSignal;
  /** Makes the error to throw from what broke the stream. */
  readonly explain: (error: unknown) => unknown;
}

/** Bytes that may wait to be read before the stream is paused. */
const ROOM_BYTES = 256 * 1024;
/**
 * After so many milliseconds other work gets a turn. A socket that has much to bring is read up to 32 times in a row by
 * libuv, and all of it would be worked off in between.
 */
const TURN_MS = 5;

/**
 * A response body in the pieces the network brought.
 *
 * Guarantees:
 * - After five milliseconds of reading, and of what is done with it meanwhile, the event loop has a turn.
 * - No more than 256 KiB and what one read of the socket brings wait here: unread data stays in the socket, and a full
 *   socket slows the sender down.
 * - What came before the stream broke is handed out before that is thrown, unless the exchange was aborted.
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
  /** The first of the pieces that was not handed out. */
  #next = 0;
  #waitingBytes = 0;
  /** When the first piece came in since the event loop had its last turn; undefined when none has. */
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

  /** Reads on, or does not. */
  #flow(): void {
    const { stream } = this.#options;
    const paused = this.#resting || this.#waitingBytes >= ROOM_BYTES;
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) stream.pause();
    else stream.resume();
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
    const { stream, explain } = this.#options;
    finished(stream, { writable: false }, (error) => {
      this.#end ??= error ? { error: explain(error) } : {};
      this.#wake?.();
    });
    stream.on('data', (piece: Uint8Array) => {
      this.#came(piece);
    });
  }
}
