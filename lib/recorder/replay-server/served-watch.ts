import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { restamped } from '../../server/cacher/window/restamped-object.ts';
import {
  predicateMatches,
  type SelectionPredicate,
} from '../../server/storage/contract/selection-predicate.ts';
import type { StorageWatch } from '../../server/storage/contract/storage-interface.ts';
import type { ServedObject } from './served-object.ts';

type Event = WatchEvent<ReturnType<typeof restamped<UnstructuredObject>>>;
type Result = IteratorResult<readonly Event[], undefined>;

/** A recorded event, and what the object was before it. */
export interface ServedEvent {
  readonly event: WatchEvent<ServedObject>;
  readonly previous: ServedObject | undefined;
  /** The part of the collection that has brought it. */
  readonly part: object;
  /** The version behind which a watch gets it. */
  readonly at: string;
}

export interface ServedWatchOptions {
  /** Those before the changes. */
  readonly initial: readonly Event[];
  /** The changes, which grow; the first one that it gets. */
  readonly events: readonly ServedEvent[];
  readonly from: number;
  readonly namespace: string;
  readonly predicate: SelectionPredicate | undefined;
  readonly bookmarks: boolean;
  readonly onClose: (watch: ServedWatch) => void;
}

/** The watch of a client: a place in the changes of the recording, so that a slow reader takes no memory. */
export class ServedWatch implements StorageWatch<UnstructuredObject> {
  readonly #options: ServedWatchOptions;
  #initial: readonly Event[];
  #next: number;
  #news: Deferred<void> | undefined;
  #isOver = false;
  #error: Error | undefined;

  constructor(options: ServedWatchOptions) {
    this.#options = options;
    this.#initial = options.initial;
    this.#next = options.from;
  }

  /** There are more changes. */
  wake(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }

  /** It ends behind the changes so far, with the error if there is one. */
  end(error?: Error): void {
    this.#isOver = true;
    this.#error = error;
    this.wake();
  }

  destroy(): void {
    this.#initial = [];
    this.#next = this.#options.events.length;
    this.end();
    this.#options.onClose(this);
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly Event[], undefined> {
    return {
      next: () => this.#read(),
      return: (): Promise<Result> => {
        this.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #read(): Promise<Result> {
    for (;;) {
      const batch = this.#take();
      if (batch.length > 0) return { done: false, value: batch };
      if (this.#isOver) {
        const error = this.#error;
        this.#error = undefined;
        if (error !== undefined) throw error;
        return { done: true, value: undefined };
      }
      this.#news ??= deferred<void>();
      await this.#news.promise;
    }
  }

  #take(): readonly Event[] {
    const { events } = this.#options;
    const batch: Event[] = [...this.#initial];
    this.#initial = [];
    for (; this.#next < events.length; this.#next += 1) {
      const shown = this.#shown(events[this.#next] as ServedEvent);
      if (shown !== undefined) batch.push(shown);
    }
    return batch;
  }

  /** The event as this watch sees it: an object comes and goes with what the selectors say. */
  #shown({ event, previous }: ServedEvent): Event | undefined {
    if (event.type === 'BOOKMARK') return this.#options.bookmarks ? event : undefined;
    const { namespace, predicate } = this.#options;
    const { object, type } = event;
    if (namespace !== '' && object.metadata.namespace !== namespace) return undefined;
    if (predicate === undefined) return event;
    const matched = previous !== undefined && predicateMatches(predicate, previous.object);
    const matches = type !== 'DELETED' && predicateMatches(predicate, object.object);
    if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', object };
    if (!matched) return undefined;
    return type === 'DELETED'
      ? event
      : { type: 'DELETED', object: restamped(previous, object.resourceVersion) };
  }
}
