import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  SourceSupport,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import type { ResourceName } from '../../meta/collection-options.ts';
import type { CollectionMask, ObjectMask } from '../../meta/masking/object-mask.ts';
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
  /** Takes the records of a request of a cache, or of a reader without one. */
  readonly sinkOf: (cache: ReceivedObjects | undefined) => RecordSink;
  readonly mask: ObjectMask;
  /** The resource that is read. @defaultValue what the source says */
  readonly resource?: ResourceName | undefined;
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
  readonly resource: ResourceName | undefined;
  readonly #options: RecordedSourceOptions<T>;
  readonly #mask: CollectionMask;
  #requests = 0;

  constructor(options: RecordedSourceOptions<T>) {
    this.#options = options;
    const { source, mask } = options;
    this.description = source.description;
    this.resource = options.resource ?? source.resource;
    this.#mask = mask.of(this.resource);
  }

  /** Informers that share a watch would not be recorded one by one. */
  get supports(): SourceSupport<ObjectView<T>> {
    const { watchList, gate } = this.#options.source.supports ?? {};
    return { watchList, gate };
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const to = this.#begin(RecordKind.listAsked, request);
    const take: ItemsTaker<ObjectView<T>> = (items) => {
      this.#items(to, items, false);
      return onItems?.(items);
    };
    try {
      const page = await this.#options.source.list(request, onItems && take);
      this.#items(to, page.items, true);
      this.#json(RecordKind.pageEnd, to, pageEnd(page));
      return page;
    } catch (error) {
      this.#failed(RecordKind.listFailed, to, error, request);
      throw error;
    }
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const to = this.#begin(RecordKind.watchAsked, request);
    try {
      const stream = await this.#options.source.watch(request);
      this.#json(RecordKind.watchAccepted, to, undefined);
      return {
        [Symbol.asyncIterator]: () => this.#read(to, stream[Symbol.asyncIterator](), request),
      };
    } catch (error) {
      this.#failed(RecordKind.watchFailed, to, error, request);
      throw error;
    }
  }

  #read(
    to: RecordedRequest,
    stream: AsyncIterator<readonly WatchEvent<ObjectView<T>>[]>,
    request: WatchRequest,
  ): AsyncIterator<readonly WatchEvent<ObjectView<T>>[]> {
    let open = true;
    const end = (kind: RecordKindNumber): void => {
      if (open) this.#json(kind, to, undefined);
      open = false;
    };
    return {
      next: async () => {
        try {
          const read = await stream.next();
          if (read.done === true) end(RecordKind.watchEnded);
          else if (open) this.#events(to, read.value);
          return read;
        } catch (error) {
          if (open) this.#failed(RecordKind.watchFailed, to, error, request);
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

  #begin(kind: RecordKindNumber, request: ListRequest & WatchRequest): RecordedRequest {
    const { signal: _, cache, ...asked } = request;
    const { reader, nextRequest, sinkOf } = this.#options;
    const to = { id: nextRequest?.() ?? (this.#requests += 1), sink: sinkOf(cache) };
    this.#json(kind, to, reader === undefined ? asked : { ...asked, reader });
    return to;
  }

  #failed(
    kind: RecordKindNumber,
    to: RecordedRequest,
    error: unknown,
    { signal }: ListRequest & WatchRequest,
  ): void {
    this.#json(kind, to, recordedError(error, this.#mask.isOfSecrets));
    if (signal?.aborted !== true) this.#options.onFailed?.(error);
  }

  #json(kind: RecordKindNumber, { id: request, sink }: RecordedRequest, value: unknown): void {
    sink.put(jsonFrame(kind, value, { request, atMs: this.#options.now() }));
  }

  /** `inPage`: the items came with the end of the page. */
  #items(
    { id: request, sink }: RecordedRequest,
    items: readonly ObjectView<T>[],
    inPage: boolean,
  ): void {
    const place = { request, atMs: this.#options.now() };
    for (const [index, item] of items.entries()) {
      const last = index === items.length - 1 ? LAST_OF_BATCH : 0;
      sink.putObject(place, RecordKind.item, (inPage ? 1 : 0) | last, item, this.#mask);
    }
  }

  #events(
    { id: request, sink }: RecordedRequest,
    batch: readonly WatchEvent<ObjectView<T>>[],
  ): void {
    const place = { request, atMs: this.#options.now() };
    const mask = this.#mask;
    sink.expect?.(batch);
    for (let index = 0; index < batch.length; index += 1) {
      const event = batch[index] as WatchEvent<ObjectView<T>>;
      const last = index === batch.length - 1 ? LAST_OF_BATCH : 0;
      if (event.type === 'BOOKMARK') {
        const { resourceVersion, initialEventsEnd, itemKind } = event;
        const value = { resourceVersion, initialEventsEnd, itemKind };
        sink.put(jsonFrame(RecordKind.bookmark, value, { ...place, flags: last }));
      } else {
        sink.putObject(place, RecordKind.event, EVENT_FLAGS[event.type] | last, event.object, mask);
      }
    }
  }
}

/** The fields of a page besides its items; a source may send others. */
function pageEnd<T extends KubernetesObject>(page: ListPage<ObjectView<T>>): object {
  const { resourceVersion, continueToken, skippedItems, remainingItemCount, itemKind } = page;
  return { resourceVersion, continueToken, skippedItems, remainingItemCount, itemKind };
}

/** A request that is recorded: its number, and the sink of its records. */
interface RecordedRequest {
  readonly id: number;
  readonly sink: RecordSink;
}
