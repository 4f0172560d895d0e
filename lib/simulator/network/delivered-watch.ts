import { onAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ResponseBody } from '../../client/transport/contract/transport.ts';
import type { IncarnationRuntime } from './incarnation-runtime.ts';
import type { OpenWatch, ProcessLink } from './process-link.ts';
import type { Latency } from './latency.ts';

export interface DeliveredWatchOptions {
  readonly resource: string;
  readonly source: AsyncIterator<Uint8Array>;
  readonly world: Runtime;
  readonly process: IncarnationRuntime;
  readonly link: ProcessLink;
  readonly latency: Latency;
  readonly onPiece: (piece: Uint8Array) => void;
  readonly onEnd: () => void;
  /** The error of a broken connection. */
  readonly broken: (reason: unknown) => Error;
  readonly signal: AbortSignal | undefined;
  readonly abortServer: () => void;
}

type Result = IteratorResult<Uint8Array, undefined>;

interface Reading {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const END: Result = { done: true, value: undefined };

/** The events of a watch on their way to a process: in their order, late, held back, or cut off. */
export class DeliveredWatch implements ResponseBody, OpenWatch {
  readonly resource: string;
  readonly #options: DeliveredWatchOptions;
  #reading: Reading | undefined;
  /** The connection has ended; the next read gets it. */
  #ending: { readonly error: unknown } | undefined;
  #over = false;
  readonly #release: () => void;

  constructor(options: DeliveredWatchOptions) {
    this.#options = options;
    this.resource = options.resource;
    options.link.opened(this);
    this.#release = onAbort(options.signal, () => this.#end(options.signal?.reason));
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#read({ resolve, reject });
        }),
      return: () => {
        this.#close();
        return Promise.resolve(END);
      },
    };
  }

  cut(): void {
    this.#end(this.#options.broken('the connection was reset'));
  }

  #read(reading: Reading): void {
    if (this.#ending !== undefined) {
      reading.reject(this.#ending.error);
      return;
    }
    if (this.#over) {
      reading.resolve(END);
      return;
    }
    this.#reading = reading;
    const { source, broken } = this.#options;
    source.next().then(
      (piece) => this.#arrived(piece),
      (error: unknown) => this.#end(broken(error)),
    );
  }

  #arrived(piece: IteratorResult<Uint8Array>): void {
    const { link, world, latency, process, onPiece } = this.#options;
    link.whenFree(this.resource, () => {
      if (this.#over) return;
      world.setTimer(latency.event(), () => {
        process.deliver(() => {
          const reading = this.#reading;
          if (reading === undefined) return;
          this.#reading = undefined;
          if (piece.done === true) {
            this.#close();
            reading.resolve(END);
            return;
          }
          onPiece(piece.value);
          reading.resolve({ done: false, value: piece.value });
        });
      });
    });
  }

  #end(error: unknown): void {
    if (this.#over) return;
    this.#close();
    this.#ending = { error };
    this.#options.process.deliver(() => {
      const reading = this.#reading;
      this.#reading = undefined;
      reading?.reject(error);
    });
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    const { link, onEnd, abortServer } = this.#options;
    this.#release();
    link.closed(this);
    abortServer();
    onEnd();
  }
}
