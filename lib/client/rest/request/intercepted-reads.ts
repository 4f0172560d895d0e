import type { ListerWatcher } from '../../../cache/reflector/contract/lister-watcher.ts';
import type { CollectionReader } from '../../../meta/collection-options.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';

/**
 * Returns what a reader reads in place of its source. It is called at the first request of each reader.
 */
export type WrapReads = <T extends KubernetesObject>(
  source: ListerWatcher<ObjectView<T>>,
  reader: CollectionReader,
) => ListerWatcher<ObjectView<T>>;

interface Wrapping {
  readonly wrap: WrapReads;
  /** Its results, by the source that was wrapped. */
  readonly made: WeakMap<object, object>;
}

/** Interceptors between the sources of a client and their readers; shared by all that use its connections. */
export class InterceptedReads {
  readonly #wrappings = new Set<Wrapping>();

  /** Lists and watches that are requested from now on go through `wrap`, until it is disposed. */
  add(wrap: WrapReads): Disposable {
    const wrapping: Wrapping = { wrap, made: new WeakMap() };
    this.#wrappings.add(wrapping);
    return {
      [Symbol.dispose]: () => {
        this.#wrappings.delete(wrapping);
      },
    };
  }

  /** The source to read from. */
  through<T extends KubernetesObject>(
    source: ListerWatcher<ObjectView<T>>,
    reader: () => CollectionReader,
  ): ListerWatcher<ObjectView<T>> {
    let read = source;
    for (const { wrap, made } of this.#wrappings) {
      // The type of what was made is that of its key.
      const known = made.get(read) as ListerWatcher<ObjectView<T>> | undefined;
      const wrapped = known ?? wrap(read, reader());
      if (known === undefined) made.set(read, wrapped);
      read = wrapped;
    }
    return read;
  }
}
