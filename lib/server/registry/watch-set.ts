import type { UnstructuredObject } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { StorageWatch } from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';

type Stored = StoredObject<UnstructuredObject>;
type Present = (stored: Stored) => Stored;

/** The running watches of a resource that may be removed. One entry per open watch. */
export class WatchSet {
  readonly #running = new Set<StorageWatch<UnstructuredObject>>();

  get size(): number {
    return this.#running.size;
  }

  /** The same watch; `present`, if given, converts each object. It counts as running until it ends or is closed. */
  add(
    source: StorageWatch<UnstructuredObject>,
    present?: Present,
  ): StorageWatch<UnstructuredObject> {
    const running = this.#running;
    running.add(source);
    const done = (): void => {
      running.delete(source);
    };
    return {
      destroy(): void {
        done();
        source.destroy();
      },
      [Symbol.asyncIterator]: () => presented(source, present, done),
    };
  }

  /** Ends all running watches. */
  closeAll(): void {
    for (const watch of this.#running) watch.destroy();
    this.#running.clear();
  }
}

async function* presented(
  source: StorageWatch<UnstructuredObject>,
  present: Present | undefined,
  done: () => void,
): AsyncGenerator<readonly WatchEvent<Stored>[], undefined> {
  try {
    for await (const batch of source) {
      yield present === undefined ? batch : batch.map((event) => presentEvent(event, present));
    }
  } finally {
    done();
  }
}

function presentEvent(event: WatchEvent<Stored>, present: Present): WatchEvent<Stored> {
  if (event.type === 'BOOKMARK') return event;
  return { type: event.type, object: present(event.object) };
}
