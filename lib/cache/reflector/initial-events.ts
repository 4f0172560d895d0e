import type { KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { BookmarkEvent, WatchEvent } from '../../meta/watch-event.ts';

/** Gathers the initial state of a streaming list; objects may change and vanish before it is complete. */
export class InitialEvents<V extends HasMetadata> {
  readonly #keyFunc: KeyFunc;
  readonly #objects: Map<string, V> = new Map();

  constructor(keyFunc: KeyFunc) {
    this.#keyFunc = keyFunc;
  }

  get size(): number {
    return this.#objects.size;
  }

  /**
   * Takes in a batch up to the end bookmark and returns that bookmark with what stands behind it; undefined while it is
   * still to come. Other bookmarks mean nothing here.
   */
  take(
    batch: readonly WatchEvent<V>[],
  ): { readonly end: BookmarkEvent; readonly rest: readonly WatchEvent<V>[] } | undefined {
    for (const [index, event] of batch.entries()) {
      if (event.type === 'BOOKMARK') {
        if (event.initialEventsEnd) return { end: event, rest: batch.slice(index + 1) };
      } else if (event.type === 'DELETED') {
        this.#objects.delete(this.#keyFunc(event.object));
      } else {
        this.#objects.set(this.#keyFunc(event.object), event.object);
      }
    }
    return undefined;
  }

  /** The objects in the order in which they first came. */
  items(): V[] {
    return [...this.#objects.values()];
  }
}
