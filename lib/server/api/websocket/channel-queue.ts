import { deferred, type Deferred } from '../../../kernel/time/latch.ts';

export interface ChannelQueueOptions {
  /** Called after bytes have left the queue. */
  readonly onTaken: (bytes: number) => void;
}

/** The data of one channel that its reader has not taken yet. It has one reader; a reader that leaves gets no more. */
export class ChannelQueue implements AsyncIterable<Uint8Array> {
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
