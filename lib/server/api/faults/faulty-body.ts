import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask, sleep } from '../../../kernel/time/wait.ts';
import { endOfEvents, type FrameEnd } from './event-frames.ts';

type Result = IteratorResult<Uint8Array, undefined>;

/** Where a body is cut, and what happens there. */
export interface BodyCut {
  /** The number of events, or of bytes, that are sent before. */
  readonly after: number;
  /** How events are found; undefined: bytes are counted. */
  readonly frameEnd: FrameEnd | undefined;
  /** Called once, at the place. An error that it throws breaks the body off; bytes are its last piece; 'silence' keeps it open. */
  readonly strike: () => Uint8Array | 'end' | 'silence';
}

export interface FaultyBodyOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly cut: BodyCut | undefined;
  /** Holds each piece back, milliseconds. */
  readonly holdMs: number;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/**
 * A body that is held back or cut. After the cut the source is left at once, so that a watch of a client that gets nothing more
 * does not go on.
 */
export class FaultyBody implements AsyncIterable<Uint8Array> {
  readonly #options: FaultyBodyOptions;
  readonly #source: AsyncIterator<Uint8Array>;
  #left: number;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(options: FaultyBodyOptions) {
    this.#options = options;
    this.#source = options.body[Symbol.asyncIterator]();
    this.#left = options.cut?.after ?? Infinity;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: async (): Promise<Result> => {
        this.#ended = true;
        this.#wake?.();
        await this.#source.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<Result> {
    const { cut, holdMs, runtime, signal } = this.#options;
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      if (cut !== undefined && this.#left <= 0) return await this.#strike(cut);
      const { done, value } = await this.#source.next();
      if (done === true) return await this.#atEnd();
      if (holdMs > 0) await sleep(runtime, holdMs, { signal }).catch(() => {});
      const piece = cut === undefined ? value : this.#before(cut, value);
      if (piece.length > 0) return { done: false, value: piece };
    }
  }

  /** The part of a piece before the cut. */
  #before({ frameEnd }: BodyCut, piece: Uint8Array): Uint8Array {
    if (frameEnd === undefined) {
      const part = piece.subarray(0, this.#left);
      this.#left -= piece.length;
      return part.length === piece.length ? piece : part;
    }
    const { end, events } = endOfEvents(piece, this.#left, frameEnd);
    this.#left -= events;
    return end === piece.length ? piece : piece.subarray(0, end);
  }

  async #strike({ strike }: BodyCut): Promise<Result> {
    this.#ended = true;
    await this.#source.return?.();
    // The pieces before it are on the connection then.
    await nextTask(this.#options.runtime);
    const last = strike();
    if (last === 'silence') await this.#untilLeft();
    else if (last !== 'end') return { done: false, value: last };
    return { done: true, value: undefined };
  }

  /** A whole body that is shorter than the cut breaks off where it ends. */
  async #atEnd(): Promise<Result> {
    const { cut } = this.#options;
    if (cut !== undefined && cut.frameEnd === undefined) return await this.#strike(cut);
    this.#ended = true;
    return { done: true, value: undefined };
  }

  /** Until the client has gone. */
  async #untilLeft(): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    });
  }
}
