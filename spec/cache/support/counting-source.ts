import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';

/** The same source, with views that count the reads of the whole object. */
export class CountingSource<T extends KubernetesObject> implements ListerWatcher<ObjectView<T>> {
  decoded = 0;
  readonly description: string;
  readonly #source: ListerWatcher<ObjectView<T>>;

  constructor(source: ListerWatcher<ObjectView<T>>) {
    this.#source = source;
    this.description = source.description;
  }

  async list(request: ListRequest): Promise<ListPage<ObjectView<T>>> {
    const page = await this.#source.list(request);
    return { ...page, items: page.items.map((view) => this.#counted(view)) };
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return this.#countedStream(await this.#source.watch(request));
  }

  async *#countedStream(
    stream: WatchStream<ObjectView<T>>,
  ): AsyncGenerator<readonly WatchEvent<ObjectView<T>>[]> {
    for await (const batch of stream) {
      yield batch.map((event) =>
        event.type === 'BOOKMARK' ? event : { ...event, object: this.#counted(event.object) },
      );
    }
  }

  #counted(view: ObjectView<T>): ObjectView<T> {
    const count = (): void => {
      this.decoded += 1;
    };
    return {
      metadata: view.metadata satisfies ObjectMeta,
      get object(): T {
        count();
        return view.object;
      },
    };
  }
}
