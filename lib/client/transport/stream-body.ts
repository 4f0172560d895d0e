import type { Readable } from 'node:stream';
import type { SilenceGuard } from './silence-guard.ts';

export interface StreamBodyOptions {
  readonly stream: Readable;
  /** Told when a piece is expected and when it came. */
  readonly guard: SilenceGuard;
  /** Makes the error to throw from what broke the stream. */
  readonly explain: (error: unknown) => unknown;
}

/**
 * A response body in the pieces the network brought.
 *
 * It is pulled, never pushed: what nobody reads stays in the socket, and a full socket slows the sender down. Leaving the loop
 * closes the stream, also before the first piece.
 */
export class StreamBody implements AsyncIterable<Uint8Array> {
  readonly #options: StreamBodyOptions;

  constructor(options: StreamBodyOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const { stream, guard, explain } = this.#options;
    const pieces: AsyncIterator<Uint8Array, undefined> = stream[Symbol.asyncIterator]();
    return {
      next: async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        guard.expect();
        try {
          return await pieces.next();
        } catch (error) {
          throw explain(error);
        } finally {
          guard.pause();
        }
      },
      return: (): Promise<IteratorResult<Uint8Array, undefined>> => {
        stream.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}
