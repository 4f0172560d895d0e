import type { KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { BookmarkEvent, ObjectEvent, WatchEvent } from '../../meta/watch-event.ts';

/** The end bookmark of a streaming list and what stood behind it in its batch. */
export interface InitialEventsEnd<V extends HasMetadata> {
  readonly bookmark: BookmarkEvent;
  readonly rest: readonly WatchEvent<V>[];
}

/** Gathers the initial state of a streaming list; objects may change and vanish before it is complete. */
export class InitialEvents<V extends HasMetadata> {
  readonly #keyFunc: KeyFunc;
  readonly #objects: Map<string, V> = new Map();
  /** Objects without a key: the sink knows how to complain about them. */
  readonly #keyless: V[] = [];

  constructor(keyFunc: KeyFunc) {
    this.#keyFunc = keyFunc;
  }

  /** Takes in a batch up to the end bookmark; undefined while that is still to come. Other bookmarks mean nothing here. */
  take(batch: readonly WatchEvent<V>[]): InitialEventsEnd<V> | undefined {
    for (let index = 0; index < batch.length; index += 1) {
      const event = batch[index] as WatchEvent<V>;
      if (event.type !== 'BOOKMARK') this.#apply(event);
      else if (event.initialEventsEnd) return { bookmark: event, rest: batch.slice(index + 1) };
    }
    return undefined;
  }

  /** The objects in the order in which they first came. */
  items(): V[] {
    return [...this.#objects.values(), ...this.#keyless];
  }

  #apply({ type, object }: ObjectEvent<V>): void {
    let key: string;
    try {
      key = this.#keyFunc(object);
    } catch {
      if (type !== 'DELETED') this.#keyless.push(object);
      return;
    }
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
  }
}
