import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import { OrderedStore } from './ordered-store.ts';
import type { StoreElement } from './store-element.ts';
import type { WatchCacheEvent } from './watch-cache-event.ts';

export interface WatchCacheHistoryOptions {
  /** Initial and minimum number of events in the window. @defaultValue 100 */
  readonly minCapacity?: number | undefined;
  /** Maximum number of events in the window. @defaultValue 102 400, doubled until it holds `freshMs` at the same rate */
  readonly maxCapacity?: number | undefined;
  /**
   * How long an event should stay in the window, at most a day; while the window is full of younger events, it grows. Less than
   * 75 000 is refused: bookmarks are a minute apart, so idle clients would fall out of the window. @defaultValue 75 000
   */
  readonly freshMs?: number | undefined;
}

/** A minute between bookmarks, plus a quarter as a reserve (cacher/watch_cache_history.go @ 24a394e). */
const LEAST_FRESH_MS = 75_000;
const MOST_FRESH_MS = 86_400_000;
const MAX_CAPACITY = 102_400;

export const WATCH_CACHE_HISTORY: OptionsSchema<
  WatchCacheHistoryOptions,
  'minCapacity' | 'freshMs'
> = optionsOf<WatchCacheHistoryOptions>()('WatchCacheHistory', {
  minCapacity: is.integer({ min: 4 }).default(100),
  maxCapacity: is.integer({ min: 4 }),
  freshMs: is.number({ min: LEAST_FRESH_MS, max: MOST_FRESH_MS }).default(LEAST_FRESH_MS),
});

/** A state of the cache and the revision at which it was reached. */
interface BaseState<T extends KubernetesObject> {
  readonly revision: Revision;
  readonly state: OrderedStore<StoreElement<T>>;
}

/**
 * The sliding window: the latest events in a circular array whose capacity follows the rate of events.
 *
 * Guarantees:
 * - `startIndex` and `endIndex` only increase, also over relists, so a reader with an index can detect that it was overtaken.
 * - A watch can start after every revision from `oldestRevision` on, and the state at each of them is known. That is also true
 *   when several events share one revision and only some of them were evicted.
 * @see apiserver pkg/storage/cacher/watch_cache_history.go @ 24a394e
 */
export class WatchCacheHistory<T extends KubernetesObject> {
  readonly #minCapacity: number;
  readonly #maxCapacity: number;
  readonly #freshMs: number;
  #events: (WatchCacheEvent<T> | undefined)[];
  #startIndex = 0;
  #endIndex = 0;
  #base: BaseState<T> = { revision: 0n, state: OrderedStore.of<StoreElement<T>>([]) };

  constructor(options: WatchCacheHistoryOptions = {}) {
    const { minCapacity, maxCapacity, freshMs } = WATCH_CACHE_HISTORY.read(options);
    this.#minCapacity = minCapacity;
    this.#freshMs = freshMs;
    const doublings = Math.ceil(Math.log2(freshMs / LEAST_FRESH_MS));
    this.#maxCapacity = is
      .integer({ min: minCapacity })
      .default(Math.max(minCapacity, MAX_CAPACITY * 2 ** doublings))
      .read('WatchCacheHistory', 'maxCapacity', maxCapacity);
    this.#events = emptySlots(this.#minCapacity);
  }

  /** The present capacity in events. */
  get capacity(): number {
    return this.#events.length;
  }

  get size(): number {
    return this.#endIndex - this.#startIndex;
  }

  /** The absolute index of the oldest event. */
  get startIndex(): number {
    return this.#startIndex;
  }

  /** The absolute index of the next event. */
  get endIndex(): number {
    return this.#endIndex;
  }

  /** The oldest revision after which all events are known. */
  get oldestRevision(): Revision {
    return this.#base.revision;
  }

  /** The event at an absolute index; undefined if it was evicted or does not exist yet. */
  at(index: number): WatchCacheEvent<T> | undefined {
    if (index < this.#startIndex || index >= this.#endIndex) return undefined;
    return this.#events[index % this.capacity];
  }

  append(event: WatchCacheEvent<T>): void {
    this.#resize(event.recordedAtMs);
    if (this.size === this.capacity) this.#evict();
    this.#events[this.#endIndex % this.capacity] = event;
    this.#endIndex += 1;
  }

  /** Drops all events and starts with a new state. The capacity stays the same. */
  restart(revision: Revision, state: OrderedStore<StoreElement<T>>): void {
    this.#events = emptySlots(this.capacity);
    this.#startIndex = this.#endIndex;
    this.#base = { revision, state };
  }

  /** The absolute index of the first event after `revision`. */
  firstAfter(revision: Revision): number {
    let low = this.#startIndex;
    let high = this.#endIndex;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#eventAt(middle).revision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The whole content at `revision`, which must not be in the future; undefined if it is too old. */
  stateAt(revision: Revision): OrderedStore<StoreElement<T>> | undefined {
    if (revision < this.#base.revision) return undefined;
    const last = this.firstAfter(revision) - 1;
    return last < this.#startIndex ? this.#base.state : this.#eventAt(last).change.state;
  }

  #eventAt(index: number): WatchCacheEvent<T> {
    return this.#events[index % this.capacity] as WatchCacheEvent<T>;
  }

  #evict(): void {
    const { revision, change } = this.#eventAt(this.#startIndex);
    this.#base = { revision, state: change.state };
    this.#events[this.#startIndex % this.capacity] = undefined;
    this.#startIndex += 1;
  }

  /** Doubles the capacity if the oldest event of a full window is fresh; halves it if only the newest quarter is fresh. */
  #resize(nowMs: number): void {
    const { capacity } = this;
    if (this.size < capacity) return;
    const isFresh = (index: number): boolean =>
      nowMs - this.#eventAt(index).recordedAtMs < this.#freshMs;
    if (isFresh(this.#startIndex)) {
      this.#changeCapacity(Math.min(capacity * 2, this.#maxCapacity));
    } else if (!isFresh(this.#endIndex - Math.floor(capacity / 4))) {
      this.#changeCapacity(Math.max(Math.floor(capacity / 2), this.#minCapacity));
    }
  }

  #changeCapacity(capacity: number): void {
    if (capacity === this.capacity) return;
    while (this.size > capacity) this.#evict();
    const events = emptySlots<WatchCacheEvent<T>>(capacity);
    for (let index = this.#startIndex; index < this.#endIndex; index += 1) {
      events[index % capacity] = this.#eventAt(index);
    }
    this.#events = events;
  }
}

function emptySlots<E>(length: number): (E | undefined)[] {
  const slots: (E | undefined)[] = [];
  while (slots.length < length) slots.push(undefined);
  return slots;
}
