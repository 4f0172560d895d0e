import type { WatchStream } from '../../../cache/reflector/contract/lister-watcher.ts';
import type { DerivedAbort } from '../../../kernel/time/abort.ts';
import { IdleWatchdog } from '../../../kernel/time/idle-watchdog.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import type { ApiCall } from '../../../meta/api-call.ts';
import type { ByteSource } from '../../../meta/json/json-view.ts';
import type { KnownValueOf } from '../../../meta/json/known-values.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { FrameSplitter } from '../../transport/body/frame-splitter.ts';
import { TransportError, type ExchangeTarget } from '../../transport/contract/transport-error.ts';
import type { BodyReader, ResponseBody } from '../../transport/contract/transport.ts';
import type { ObjectDecoder } from '../decode/object-decoder.ts';
import { statusError } from '../request/response-error.ts';
import { located } from '../request/rest-client.ts';

export interface WatchBatchesOptions<T extends KubernetesObject> {
  readonly body: ResponseBody;
  readonly decoder: ObjectDecoder<T>;
  /** Returns the value that the reader has of an object. */
  readonly knownValueOf?: KnownValueOf | undefined;
  /** The exchange, for messages. */
  readonly target: ExchangeTarget;
  readonly call?: ApiCall | undefined;
  /** Called when the server has ended the stream, or the stream broke. */
  readonly onEnd?: (() => void) | undefined;
  /** Ends the exchange. */
  readonly abort: DerivedAbort;
  readonly runtime: Runtime;
  /** The longest time without data, milliseconds; `Infinity` for no limit. */
  readonly idleTimeoutMs: number;
  readonly maxFrameBytes?: number | undefined;
}

const NO_BYTES: ByteSource = { bytes: Buffer.alloc(0) };

/**
 * The events of a watch, in batches. A batch has all events that are complete in the data received so far.
 *
 * Guarantees: events before a failure are delivered before the failure is thrown. A stream that ends between two events ends
 * normally; a stream that ends within an event fails with CONNECTION_FAILED.
 */
export class WatchBatches<T extends KubernetesObject> implements WatchStream<ObjectView<T>> {
  readonly #options: WatchBatchesOptions<T>;
  readonly #pieces: BodyReader;
  readonly #splitter: FrameSplitter;
  readonly #guard: IdleWatchdog;
  #source: ByteSource = NO_BYTES;
  #batch: WatchEvent<ObjectView<T>>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  #left = false;

  constructor(options: WatchBatchesOptions<T>) {
    const { body, abort, runtime, target, idleTimeoutMs, maxFrameBytes } = options;
    this.#options = options;
    this.#pieces = body[Symbol.asyncIterator]();
    this.#splitter = new FrameSplitter({ maxFrameBytes });
    this.#guard = new IdleWatchdog(runtime);
    this.#guard.limit({
      limitMs: idleTimeoutMs,
      onIdle: () => {
        const problem = `the watch carried nothing for ${idleTimeoutMs} ms; the connection is taken for dead`;
        abort.abort(new TransportError('STREAM_IDLE', target, problem));
      },
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly WatchEvent<ObjectView<T>>[], undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.#left = true;
        await this.#close();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<readonly WatchEvent<ObjectView<T>>[], undefined>> {
    try {
      while (this.#batch.length === 0) {
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#ended) {
          this.#options.onEnd?.();
          await this.#close();
          return { done: true, value: undefined };
        }
        this.#guard.expect();
        const piece = await this.#pieces.next();
        this.#guard.pause();
        this.#take(piece.value);
        this.#takeMore();
      }
    } catch (error) {
      // Closing the stream breaks a read in progress; that is not a failure.
      if (this.#left) return { done: true, value: undefined };
      this.#options.onEnd?.();
      await this.#close();
      throw error;
    }
    const value = this.#batch;
    this.#batch = [];
    return { done: false, value };
  }

  /** Data that has arrived already belongs to the same batch: an API server sends each event as an HTTP chunk of its own. */
  #takeMore(): void {
    while (this.#failure === undefined && !this.#ended) {
      const piece = this.#pieces.poll?.();
      if (piece === undefined) return;
      this.#take(piece);
    }
  }

  /** Decodes a piece; without a piece, the bytes after the last newline. */
  #take(piece: Uint8Array | undefined): void {
    try {
      if (piece !== undefined) {
        this.#splitter.push(piece, this.#decode);
        return;
      }
      this.#ended = true;
      this.#splitter.end(this.#decode);
    } catch (error) {
      this.#failure = { error: this.#explain(error) };
    }
  }

  /** Frames in the same buffer share one source. */
  readonly #decode = (bytes: Buffer, start: number, end: number): void => {
    if (this.#source.bytes !== bytes) this.#source = { bytes };
    const { decoder, knownValueOf } = this.#options;
    this.#batch.push(decoder.decodeEvent(this.#source, start, end, knownValueOf));
  };

  #explain(error: unknown): unknown {
    const { target, call } = this.#options;
    if (error instanceof ApiError) return statusError(error.status, { target, call });
    const { frames, offset } = this.#splitter;
    const place = `event ${frames}, at byte ${offset} of the stream: `;
    const failure = located(error, target, place);
    if (this.#ended && failure instanceof TransportError && failure.code === 'MALFORMED_FRAME') {
      const problem = `the stream ended in the middle of event ${frames}, at byte ${offset}`;
      return new TransportError('CONNECTION_FAILED', target, problem);
    }
    return failure;
  }

  async #close(): Promise<void> {
    this.#ended = true;
    this.#guard.stop();
    this.#options.abort.destroy();
    await this.#pieces.return?.();
  }
}
