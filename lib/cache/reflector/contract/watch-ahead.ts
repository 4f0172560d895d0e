import { deriveAbort, onAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ListerWatcher, WatchAhead, WatchRequest, WatchStream } from './lister-watcher.ts';

/** Requests a watch whose reader comes later. */
export function watchAhead<V extends HasMetadata>(
  source: ListerWatcher<V>,
  request: WatchRequest,
): WatchAhead<V> {
  return source.watchAhead?.(request) ?? new EarlyWatch(source, request);
}

class EarlyWatch<V extends HasMetadata> implements WatchAhead<V> {
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

  take({
    resourceVersion,
    sendInitialEvents = false,
    signal,
  }: WatchRequest): Promise<WatchStream<V>> | undefined {
    if (resourceVersion !== this.#request.resourceVersion || sendInitialEvents) return undefined;
    onAbort(signal, () => this.#abort.abort(signal?.reason));
    return this.#stream;
  }

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
