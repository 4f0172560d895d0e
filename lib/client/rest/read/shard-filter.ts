import type {
  ItemsTaker,
  ListPage,
  WatchStream,
} from '../../../cache/reflector/contract/lister-watcher.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { ShardSelector } from '../../../meta/selectors/shard-selector.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';

/**
 * Leaves out the objects of other shards. A server that does not know shards ignores the selector without a word and sends the
 * whole collection, of which several replicas would then handle all. An object never changes its shard, so each event is checked
 * by itself.
 */
export class ShardFilter {
  readonly #selector: ShardSelector;

  constructor(selector: ShardSelector) {
    this.#selector = selector;
  }

  page<V extends HasMetadata>(page: ListPage<V>): ListPage<V> {
    return { ...page, items: page.items.filter(this.#has) };
  }

  taker<V extends HasMetadata>(taker: ItemsTaker<V>): ItemsTaker<V> {
    return (items) => taker(items.filter(this.#has));
  }

  stream<V extends HasMetadata>(stream: WatchStream<V>): WatchStream<V> {
    return {
      [Symbol.asyncIterator]: () => {
        const batches = stream[Symbol.asyncIterator]();
        return {
          next: async () => {
            const { done, value } = await batches.next();
            return done === true ? { done, value } : { done: false, value: this.#events(value) };
          },
          // Must not wait for a read in progress, as the `return` of a generator would.
          return: async () => {
            await batches.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  #events<V extends HasMetadata>(events: readonly WatchEvent<V>[]): readonly WatchEvent<V>[] {
    return events.filter((event) => event.type === 'BOOKMARK' || this.#has(event.object));
  }

  readonly #has = (object: HasMetadata): boolean => this.#selector.matches(identityOf(object));
}
