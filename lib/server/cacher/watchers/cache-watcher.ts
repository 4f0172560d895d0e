import { nextTask } from '../../../kernel/time/wait.ts';
import { onAbort } from '../../../kernel/time/abort.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { internalError } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { BookmarkEvent, ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import {
  predicateIsEmpty,
  type SelectionPredicate,
} from '../../storage/contract/selection-predicate.ts';
import type { StorageWatch } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { KeyScope } from '../window/key-scope.ts';
import type { NextTurn } from './next-turn.ts';
import type { WatchCacheEvent } from '../window/watch-cache-event.ts';
import type { WatchCacheInterval } from '../window/watch-cache-interval.ts';

/** Number of items of the initial interval processed in one task. */
const PIECE = 500;

export interface CacheWatcherOptions<T extends KubernetesObject> {
  /** Counts up from 0 within one cacher. */
  readonly id: number;
  readonly runtime: Runtime;
  readonly scope: KeyScope;
  readonly predicate?: SelectionPredicate<T> | undefined;
  /** The events before the live events. */
  readonly interval: WatchCacheInterval<T>;
  /** The revision that the reader has seen. It may be later than the interval: earlier events are left out. */
  readonly startRevision: Revision;
  /** Maximum backlog of the reader, in events. */
  readonly queueCapacity: number;
  /** Whether the reader requested bookmarks. */
  readonly bookmarks: boolean;
  /** Whether a bookmark marks the end of the interval. Only together with `bookmarks`. */
  readonly markInitialEventsEnd: boolean;
  readonly deadlineMonotonicMs?: number | undefined;
  /** Which client reads; undefined if that is not known. */
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Collects the events of one turn of the event loop for the reader. Left out: the first event wakes the reader. */
  readonly turn?: NextTurn | undefined;
  /** Called once, when the watcher takes no further events. */
  readonly onEnd: (watcher: CacheWatcher<T>) => void;
}

type Batch<T extends KubernetesObject> = WatchEvent<StoredObject<T>>[];
type End = 'ended' | { readonly error: unknown };
type Reader<T extends KubernetesObject> = (
  resolve: (result: IteratorResult<Batch<T>, undefined>) => void,
  reject: (error: unknown) => void,
) => void;

/**
 * One watch on the cache: first the past events, read piece by piece on demand, then live events through a bounded queue.
 *
 * Guarantees:
 * - Every matching change after the start comes once and in order, with the event object that all watchers share.
 * - The end of the initial events is marked exactly once, before any live event.
 * - Resource versions of live events and bookmarks never decrease.
 * - After `end` and `fail` the reader still gets the queued events, so that even a slow client makes progress; `destroy` and the
 *   signal drop them.
 *
 * Not guaranteed: more than one reader.
 * @see apiserver pkg/storage/cacher/cache_watcher.go @ 24a394e
 */
export class CacheWatcher<T extends KubernetesObject> implements StorageWatch<T> {
  readonly id: number;
  readonly scope: KeyScope;
  /** Undefined if everything in the scope matches. */
  readonly predicate: SelectionPredicate<T> | undefined;
  readonly #options: CacheWatcherOptions<T>;
  readonly #startRevision: Revision;
  readonly #releaseSignal: () => void;
  #interval: WatchCacheInterval<T> | undefined;
  #intervalBegun = false;
  #endMarked = false;
  #queue: Batch<T> = [];
  /** The queued events arrived in this turn of the event loop, and more may follow. */
  #gathering = false;
  #lastRevision: Revision;
  #end: End | undefined;
  /** Of the reader that waits. */
  #resolve: Parameters<Reader<T>>[0] | undefined;
  #reject: Parameters<Reader<T>>[1] | undefined;
  #onRoom: (() => void) | undefined;

  constructor(options: CacheWatcherOptions<T>) {
    const { predicate, interval, startRevision } = options;
    this.id = options.id;
    this.scope = options.scope;
    this.predicate = predicateIsEmpty(predicate as SelectionPredicate) ? undefined : predicate;
    this.#options = options;
    this.#interval = interval;
    const { revision } = interval.rest ?? interval;
    this.#startRevision = startRevision > revision ? startRevision : revision;
    this.#lastRevision = this.#startRevision;
    this.#releaseSignal = onAbort(options.signal, () => {
      this.destroy();
    });
  }

  /** Whether the watcher takes no further events. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  get wantsBookmarks(): boolean {
    return this.#options.bookmarks;
  }

  get client(): string | undefined {
    return this.#options.client;
  }

  get deadlineMonotonicMs(): number | undefined {
    return this.#options.deadlineMonotonicMs;
  }

  /** Queues a change if it matches this watch. Returns false, and does nothing, if it matches but the queue is full. */
  offer(event: WatchCacheEvent<T>): boolean {
    if (this.#end !== undefined || event.revision <= this.#startRevision) return true;
    const seen = this.#seenThrough(event);
    if (seen === undefined) return true;
    if (this.#queue.length >= this.#options.queueCapacity) return false;
    this.#take(seen, event.revision);
    return true;
  }

  /** Queues a bookmark, unless the queue is full or a later revision has been sent. */
  offerBookmark(bookmark: BookmarkEvent, revision: Revision): void {
    if (this.#end !== undefined || revision < this.#lastRevision) return;
    if (this.#queue.length >= this.#options.queueCapacity) return;
    this.#take(bookmark, revision);
  }

  /** Calls `listener` once, as soon as the queue has room or the watch is over; undefined removes the listener. */
  whenRoom(listener: (() => void) | undefined): void {
    this.#onRoom = listener;
  }

  /** Wakes a reader that waits for more events of this turn. */
  deliver(): void {
    if (this.#gathering) this.#endGathering();
  }

  /** Ends the watch after the queued events. */
  end(): void {
    this.#finish('ended');
  }

  /** Ends the watch after the queued events, with an error. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Ends the watch now. */
  destroy(): void {
    this.#drop();
    this.#finish('ended');
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch<T>, undefined> {
    return {
      next: () => this.#next(),
      return: (): Promise<IteratorResult<Batch<T>, undefined>> => {
        this.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Live events cost one promise a batch: a batch is often a single event. */
  #next(): Promise<IteratorResult<Batch<T>, undefined>> {
    if (this.#interval !== undefined) return this.#nextOfInterval();
    return new Promise(this.#read);
  }

  readonly #read: Reader<T> = (resolve, reject) => {
    if (this.#mustGather() || (this.#queue.length === 0 && this.#end === undefined)) {
      this.#resolve = resolve;
      this.#reject = reject;
      return;
    }
    const batch = this.#takeBatch();
    if (batch.length > 0) resolve({ done: false, value: batch });
    else this.#readEnd(resolve, reject);
  };

  readonly #readEnd: Reader<T> = (resolve, reject) => {
    const end = this.#end;
    this.#end = 'ended';
    if (end === undefined || end === 'ended') resolve({ done: true, value: undefined });
    else reject(end.error);
  };

  async #nextOfInterval(): Promise<IteratorResult<Batch<T>, undefined>> {
    while (this.#interval !== undefined) {
      await this.#letOthersRun();
      const batch = this.#takeBatch();
      if (batch.length > 0) return { done: false, value: batch };
    }
    return await this.#next();
  }

  /** Whether a waiting reader has to wait until the turn is over. Not if the queue is full or the watch has ended. */
  #mustGather(): boolean {
    if (!this.#gathering || this.#interval !== undefined || this.#end !== undefined) return false;
    return this.#queue.length < this.#options.queueCapacity;
  }

  #take(event: WatchEvent<StoredObject<T>>, revision: Revision): void {
    const { turn, queueCapacity } = this.#options;
    this.#queue.push(event);
    this.#lastRevision = revision;
    if (turn === undefined || this.#queue.length === queueCapacity) {
      this.#signal();
    } else if (!this.#gathering) {
      this.#gathering = true;
      turn.run(this.#endGathering);
    }
  }

  readonly #endGathering = (): void => {
    this.#gathering = false;
    this.#signal();
  };

  /** Lets other tasks run between the pieces of a large initial state. */
  async #letOthersRun(): Promise<void> {
    if (this.#intervalBegun) {
      await nextTask(this.#options.runtime);
    }
    this.#intervalBegun = true;
  }

  #takeBatch(): Batch<T> {
    if (this.#interval !== undefined) return this.#readInterval(this.#interval);
    const batch = this.#queue;
    if (batch.length > 0) {
      this.#queue = [];
      this.#announceRoom();
    }
    return batch;
  }

  #readInterval(interval: WatchCacheInterval<T>): Batch<T> {
    const batch: ObjectEvent<StoredObject<T>>[] = [];
    try {
      const progress = interval.read(batch, this.predicate, PIECE);
      if (progress === 'more') return batch;
      this.#interval = progress === 'done' ? interval.rest : undefined;
      if (progress === 'invalidated') this.destroy();
      else if (!this.#endMarked && this.#options.bookmarks && this.#options.markInitialEventsEnd) {
        this.#endMarked = true;
        return [...batch, endOfInitialEvents(interval.revision)];
      }
    } catch (error) {
      this.#drop();
      this.fail(selectorFailure(error));
    }
    return batch;
  }

  /** A predicate that throws ends only its own watch. */
  #seenThrough(event: WatchCacheEvent<T>): ObjectEvent<StoredObject<T>> | undefined {
    try {
      return event.seenThrough(this.predicate);
    } catch (error) {
      this.fail(selectorFailure(error));
      return undefined;
    }
  }

  #drop(): void {
    this.#interval = undefined;
    this.#queue = [];
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#releaseSignal?.();
    this.#options.onEnd(this);
    this.#announceRoom();
    this.#signal();
  }

  #announceRoom(): void {
    const listener = this.#onRoom;
    this.#onRoom = undefined;
    listener?.();
  }

  #signal(): void {
    const resolve = this.#resolve;
    const reject = this.#reject;
    if (resolve === undefined || reject === undefined) return;
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#read(resolve, reject);
  }
}

function endOfInitialEvents(revision: Revision): BookmarkEvent {
  return { type: 'BOOKMARK', resourceVersion: revision.toString(), initialEventsEnd: true };
}

function selectorFailure(error: unknown): Error {
  return internalError(`the attributes of an object cannot be read: ${errorMessage(error)}`, error);
}
