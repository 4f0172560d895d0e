import { deriveAbort, onAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type {
  ListerWatcher,
  WatchRequest,
  WatchStream,
} from '../../reflector/contract/lister-watcher.ts';

/** A watch that is requested before its reader is ready. Nothing of it is read before the reader takes it. */
export class WatchAhead<V extends HasMetadata> {
  /** Resolves when the source has accepted or refused it. */
  readonly answered: Promise<void>;
  readonly #request: WatchRequest;
  readonly #abort: DerivedAbort;
  readonly #stream: Promise<WatchStream<V>>;

  constructor(source: ListerWatcher<V>, request: WatchRequest) {
    this.#request = request;
    this.#abort = deriveAbort(request.signal);
    const { signal } = this.#abort;
    // A source may throw, too.
    this.#stream = (async () => await source.watch({ ...request, signal }))();
    const ignore = (): void => {};
    // Its failure is that of its reader; without one it is of no interest.
    this.answered = this.#stream.then(ignore, ignore);
  }

  /**
   * Gives it to a reader, as `ListerWatcher.watch` would: it ends with the signal of this request. Undefined if it starts from another
   * version than the reader asks for; then it has to be closed.
   */
  take({
    resourceVersion,
    sendInitialEvents = false,
    signal,
  }: WatchRequest): Promise<WatchStream<V>> | undefined {
    if (resourceVersion !== this.#request.resourceVersion || sendInitialEvents) return undefined;
    onAbort(signal, () => this.#abort.abort(signal?.reason));
    return this.#stream;
  }

  /** Ends it, in place of `take`. */
  destroy(reason: unknown): void {
    this.#abort.abort(reason);
    this.#stream.then(leave, () => {});
  }
}

/** The signal stops the source, too; its answer to `return` is ignored. */
function leave(stream: WatchStream<HasMetadata>): void {
  stream[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
