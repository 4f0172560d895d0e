import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type { SelectionPredicate } from '../../storage/contract/selection-predicate.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { scopeContains, scopeEnd, type KeyScope } from './key-scope.ts';
import type { OrderedCursor, OrderedStore } from './ordered-store.ts';
import type { StoreElement } from './store-element.ts';
import type { WatchCacheHistory } from './watch-cache-history.ts';

/**
 * `invalidated`: the window moved past the position of the reader. The next events are lost, so the watch has to end and its
 * client has to list again.
 */
export type IntervalProgress = 'more' | 'done' | 'invalidated';

/** The events for a new watcher before the live events, read piece by piece on demand. */
export interface WatchCacheInterval<T extends KubernetesObject> {
  /** The revision at which the interval ends. Live events after it, or after `rest`, follow without a gap. */
  readonly revision: Revision;
  /** The changes since then, to be read after this interval. */
  readonly rest?: WatchCacheInterval<T> | undefined;
  /** Processes at most `count` items and appends the events of those that match. */
  read(
    into: ObjectEvent<StoredObject<T>>[],
    predicate: SelectionPredicate<T> | undefined,
    count: number,
  ): IntervalProgress;
}

/** The state of the cache at one revision, as ADDED events in key order. */
export class StateInterval<T extends KubernetesObject> implements WatchCacheInterval<T> {
  readonly revision: Revision;
  readonly #cursor: OrderedCursor<StoreElement<T>>;

  constructor(state: OrderedStore<StoreElement<T>>, revision: Revision, scope: KeyScope) {
    this.revision = revision;
    this.#cursor = state.range(scope.path, scopeEnd(scope));
  }

  read(
    into: ObjectEvent<StoredObject<T>>[],
    predicate: SelectionPredicate<T> | undefined,
    count: number,
  ): IntervalProgress {
    for (let seen = 0; seen < count; seen += 1) {
      const element = this.#cursor.next();
      if (element === undefined) return 'done';
      if (element.matches(predicate)) into.push(element.added);
    }
    return 'more';
  }
}

/** A state that the storage listed because the cache could not be used, as ADDED events. */
export class ListedInterval<T extends KubernetesObject> implements WatchCacheInterval<T> {
  readonly revision: Revision;
  readonly rest: WatchCacheInterval<T> | undefined;
  readonly #items: readonly StoredObject<T>[];
  #index = 0;

  /** @param items the items that the watch selects, in key order */
  constructor(
    items: readonly StoredObject<T>[],
    revision: Revision,
    rest: WatchCacheInterval<T> | undefined,
  ) {
    this.#items = items;
    this.revision = revision;
    this.rest = rest;
  }

  read(
    into: ObjectEvent<StoredObject<T>>[],
    _predicate: SelectionPredicate<T> | undefined,
    count: number,
  ): IntervalProgress {
    const stop = Math.min(this.#items.length, this.#index + count);
    for (; this.#index < stop; this.#index += 1) {
      into.push({ type: 'ADDED', object: this.#items[this.#index] as StoredObject<T> });
    }
    return this.#index < this.#items.length ? 'more' : 'done';
  }
}

/** The events of the window from an index to its end when this object was created. */
export class HistoryInterval<T extends KubernetesObject> implements WatchCacheInterval<T> {
  readonly revision: Revision;
  readonly #history: WatchCacheHistory<T>;
  readonly #scope: KeyScope;
  readonly #endIndex: number;
  #index: number;

  constructor(
    history: WatchCacheHistory<T>,
    startIndex: number,
    revision: Revision,
    scope: KeyScope,
  ) {
    this.revision = revision;
    this.#history = history;
    this.#scope = scope;
    this.#index = startIndex;
    this.#endIndex = history.endIndex;
  }

  read(
    into: ObjectEvent<StoredObject<T>>[],
    predicate: SelectionPredicate<T> | undefined,
    count: number,
  ): IntervalProgress {
    const stop = Math.min(this.#endIndex, this.#index + count);
    for (; this.#index < stop; this.#index += 1) {
      const event = this.#history.at(this.#index);
      if (event === undefined) return 'invalidated';
      if (!scopeContains(this.#scope, event.change.key)) continue;
      const seen = event.seenThrough(predicate);
      if (seen !== undefined) into.push(seen);
    }
    return this.#index < this.#endIndex ? 'more' : 'done';
  }
}
