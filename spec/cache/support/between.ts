import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../lib/meta/watch-event.ts';

/** A source between another one and the informer that keeps events to itself, and answers lists in its own way. */
export class Between<T extends KubernetesObject> implements ListerWatcher<ObjectView<T>> {
  readonly description = 'pods';
  /** Keeps an event from the informer. */
  hide: (event: ObjectEvent<ObjectView<T>>) => boolean = () => false;
  /** Answers a list, or lets the source do it. */
  answer: (request: ListRequest) => Promise<ListPage<ObjectView<T>>> | undefined = () => undefined;
  source!: ListerWatcher<ObjectView<T>>;

  list(request: ListRequest): Promise<ListPage<ObjectView<T>>> {
    return this.answer(request) ?? this.source.list(request);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return this.#filtered(await this.source.watch(request));
  }

  async *#filtered(
    stream: WatchStream<ObjectView<T>>,
  ): AsyncGenerator<readonly WatchEvent<ObjectView<T>>[]> {
    for await (const batch of stream) {
      yield batch.filter((event) => event.type === 'BOOKMARK' || !this.hide(event));
    }
  }
}
