import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  RestoredList,
  WatchAhead,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { watchAhead } from '../../cache/reflector/contract/watch-ahead.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { recordedError } from '../format/recorded-error.ts';
import {
  jsonFrame,
  LAST_OF_BATCH,
  RecordKind,
  type RecordKindNumber,
} from '../format/record-frame.ts';
import type { RecordSink } from './record-sink.ts';

export interface RecordedSourceOptions<T extends KubernetesObject> {
  readonly source: ListerWatcher<ObjectView<T>>;
  readonly sink: RecordSink;
  /** The time of the recording, milliseconds. */
  readonly now: () => number;
  /** Its number among the readers of a recording that has several. */
  readonly reader?: number | undefined;
  /** The number of the next request, for sources that share a recording. @defaultValue it counts its own */
  readonly nextRequest?: (() => number) | undefined;
  /** A request has failed, and its reader had not ended it. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** Flags of an event. */
export const EVENT_FLAGS = { ADDED: 1, MODIFIED: 2, DELETED: 3 } as const;

/**
 * A source that writes down what it brings, before its reader gets it: requests, items, events and failures, with their times.
 *
 * Guarantees: the reader gets the same values in the same order.
 */
export class RecordedSource<T extends KubernetesObject> implements ListerWatcher<ObjectView<T>> {
  readonly description: string;
  readonly #options: RecordedSourceOptions<T>;
  #requests = 0;

  constructor(options: RecordedSourceOptions<T>) {
    this.#options = options;
    this.description = options.source.description;
  }

  get supportsWatchList(): boolean | undefined {
    return this.#options.source.supportsWatchList;
  }

  get gate(): ListerWatcher<ObjectView<T>>['gate'] {
    return this.#options.source.gate;
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const id = this.#begin(RecordKind.listAsked, request);
    const take: ItemsTaker<ObjectView<T>> = (items) => {
      this.#items(id, items, false);
      return onItems?.(items);
    };
    try {
      const page = await this.#options.source.list(request, onItems && take);
      const { items, ...rest } = page;
      this.#items(id, items, true);
      this.#json(RecordKind.pageEnd, id, rest);
      return page;
    } catch (error) {
      this.#failed(RecordKind.listFailed, id, error, request);
      throw error;
    }
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return await this.#watched(request, () => this.#options.source.watch(request));
  }

  /** It is written when its reader takes it: a recording has the list before it, which comes from elsewhere meanwhile. */
  watchAhead(request: WatchRequest): WatchAhead<ObjectView<T>> {
    const within = watchAhead(this.#options.source, request);
    return {
      answered: within.answered,
      take: (asked) => {
        const stream = within.take(asked);
        return stream && this.#watched(asked, () => stream);
      },
      destroy: (reason) => within.destroy(reason),
    };
  }

  async #watched(
    request: WatchRequest,
    ask: () => Promise<WatchStream<ObjectView<T>>>,
  ): Promise<WatchStream<ObjectView<T>>> {
    const id = this.#begin(RecordKind.watchAsked, request);
    try {
      const stream = await ask();
      this.#json(RecordKind.watchAccepted, id, undefined);
      return {
        [Symbol.asyncIterator]: () => this.#read(id, stream[Symbol.asyncIterator](), request),
      };
    } catch (error) {
      this.#failed(RecordKind.watchFailed, id, error, request);
      throw error;
    }
  }

  /** The list is written as one of the source: a recording without it would begin with a watch, and lack what was there before. */
  restoring(): RestoredList<ObjectView<T>> {
    const within = this.#options.source.restoring?.();
    const id = this.#begin(RecordKind.listAsked, {});
    return {
      items: (items) => {
        within?.items(items);
        this.#items(id, items, false);
      },
      end: (resourceVersion) => {
        within?.end(resourceVersion);
        this.#json(RecordKind.pageEnd, id, { resourceVersion });
      },
      failed: (error) => {
        within?.failed(error);
        this.#json(RecordKind.listFailed, id, recordedError(error));
      },
    };
  }

  #read(
    id: number,
    stream: AsyncIterator<readonly WatchEvent<ObjectView<T>>[]>,
    request: WatchRequest,
  ): AsyncIterator<readonly WatchEvent<ObjectView<T>>[]> {
    let open = true;
    const end = (kind: RecordKindNumber): void => {
      if (open) this.#json(kind, id, undefined);
      open = false;
    };
    return {
      next: async () => {
        try {
          const read = await stream.next();
          if (read.done === true) end(RecordKind.watchEnded);
          else if (open) this.#events(id, read.value);
          return read;
        } catch (error) {
          if (open) this.#failed(RecordKind.watchFailed, id, error, request);
          open = false;
          throw error;
        }
      },
      return: async () => {
        end(RecordKind.watchLeft);
        return (await stream.return?.()) ?? { done: true, value: undefined };
      },
    };
  }

  #begin(kind: RecordKindNumber, request: ListRequest & WatchRequest): number {
    const { signal: _, ...asked } = request;
    const { reader, nextRequest } = this.#options;
    const id = nextRequest?.() ?? (this.#requests += 1);
    this.#json(kind, id, reader === undefined ? asked : { ...asked, reader });
    return id;
  }

  #failed(
    kind: RecordKindNumber,
    id: number,
    error: unknown,
    { signal }: ListRequest & WatchRequest,
  ): void {
    this.#json(kind, id, recordedError(error));
    if (signal?.aborted !== true) this.#options.onFailed?.(error);
  }

  #json(kind: RecordKindNumber, request: number, value: unknown): void {
    const { sink, now } = this.#options;
    sink.put(jsonFrame(kind, value, { request, atMs: now() }));
  }

  /** `inPage`: the items came with the end of the page. */
  #items(request: number, items: readonly ObjectView<T>[], inPage: boolean): void {
    const { sink, now } = this.#options;
    const place = { request, atMs: now() };
    for (const [index, item] of items.entries()) {
      const last = index === items.length - 1 ? LAST_OF_BATCH : 0;
      sink.putObject(place, RecordKind.item, (inPage ? 1 : 0) | last, item);
    }
  }

  #events(request: number, batch: readonly WatchEvent<ObjectView<T>>[]): void {
    const { sink, now } = this.#options;
    const place = { request, atMs: now() };
    sink.expect?.(batch);
    for (let index = 0; index < batch.length; index += 1) {
      const event = batch[index] as WatchEvent<ObjectView<T>>;
      const last = index === batch.length - 1 ? LAST_OF_BATCH : 0;
      if (event.type === 'BOOKMARK') {
        const { resourceVersion, initialEventsEnd, itemKind } = event;
        const value = { resourceVersion, initialEventsEnd, itemKind };
        sink.put(jsonFrame(RecordKind.bookmark, value, { ...place, flags: last }));
      } else {
        sink.putObject(place, RecordKind.event, EVENT_FLAGS[event.type] | last, event.object);
      }
    }
  }
}
