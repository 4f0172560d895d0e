import { onAbort } from '../../../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../../meta/object.ts';
import type { WatchEvent } from '../../../../meta/watch-event.ts';
import type { StorageWatch } from '../../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../../storage/contract/stored-object.ts';
import type { Piece } from './watch-frames.ts';

type Event = WatchEvent<StoredObject<UnstructuredObject>>;

/** Measures one watch. */
export interface WatchMeter {
  sent(events: number, bytes: number): void;
  end(): void;
}

export interface WatchBodyOptions {
  readonly meter: WatchMeter;
  readonly watch: StorageWatch<UnstructuredObject>;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined;
  /** Encodes events of a batch, from an index on, as one piece of bytes; undefined ends the watch. */
  readonly encode: (batch: readonly Event[], from: number) => Piece | undefined;
  readonly encodeError: (error: unknown) => Uint8Array;
}

type Result = IteratorResult<Uint8Array, undefined>;

const DONE: Result = { done: true, value: undefined };

/**
 * The body of a watch response: the events of a storage watch as lines of bytes.
 *
 * Guarantees:
 * - It ends after the timeout, after the storage watch has ended, after an ERROR line, and when the client has disconnected.
 * - At its end, even if it was never read, the storage watch is closed and the timer cancelled.
 */
export class WatchBody implements AsyncIterable<Uint8Array> {
  readonly #options: WatchBodyOptions;
  readonly #events: AsyncIterator<readonly Event[]>;
  readonly #timer: Timer;
  readonly #release: () => void;
  #ended = false;
  #batch: readonly Event[] = [];
  #next = 0;

  constructor(options: WatchBodyOptions) {
    this.#options = options;
    this.#events = options.watch[Symbol.asyncIterator]();
    this.#timer = options.runtime.setTimer(options.timeoutMs, () => {
      this.#end();
    });
    this.#release = onAbort(options.signal, () => {
      this.#end();
    });
    // An abort before this line called `#release` before there was a listener to remove.
    if (this.#ended) this.#release();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#read(),
      return: (): Promise<Result> => {
        this.#end();
        return Promise.resolve(DONE);
      },
    };
  }

  /** Awaits the storage watch. The batch stays in `#batch` until all of it was returned. */
  async #read(): Promise<Result> {
    try {
      while (this.#next >= this.#batch.length) {
        if (this.#ended) return DONE;
        const batch = await this.#events.next();
        if (batch.done === true) {
          this.#end();
          return DONE;
        }
        this.#batch = batch.value;
        this.#next = 0;
      }
      const piece = this.#options.encode(this.#batch, this.#next);
      if (piece === undefined) {
        this.#batch = [];
        this.#end();
        return DONE;
      }
      this.#next += piece.count;
      this.#options.meter.sent(piece.count, piece.bytes.byteLength);
      return { done: false, value: piece.bytes };
    } catch (error) {
      if (this.#ended) return DONE;
      this.#end();
      this.#batch = [];
      return { done: false, value: this.#options.encodeError(error) };
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.cancel();
    this.#release?.();
    this.#options.watch.destroy();
    this.#options.meter.end();
  }
}
