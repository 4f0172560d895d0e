import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { JsonView } from '../../../lib/meta/json/json-view.ts';
import { ObjectScanner } from '../../../lib/meta/json/object-scanner.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';

const scanner = new ObjectScanner();

/** The same source, as the network brings it: what comes together lies in the same bytes, undecoded. */
export class BytesSource<T extends KubernetesObject> implements ListerWatcher<ObjectView<T>> {
  readonly description: string;
  readonly #source: ListerWatcher<ObjectView<T>>;

  readonly #pause: (() => Promise<number>) | undefined;

  /** `pause`: pages come in pieces; it waits for the next one and says how many items are in it. */
  constructor(source: ListerWatcher<ObjectView<T>>, pause?: () => Promise<number>) {
    this.#source = source;
    this.#pause = pause;
    this.description = source.description;
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const page = await this.#source.list(request);
    const items = undecoded(page.items);
    if (onItems === undefined || this.#pause === undefined) return { ...page, items };
    for (let taken = 0; taken < items.length; ) {
      const count = await this.#pause();
      await onItems(items.slice(taken, taken + count));
      taken += count;
    }
    return { ...page, items: [] };
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return inBytes(await this.#source.watch(request));
  }
}

async function* inBytes<T extends KubernetesObject>(
  stream: WatchStream<ObjectView<T>>,
): AsyncGenerator<readonly WatchEvent<ObjectView<T>>[]> {
  for await (const batch of stream) {
    const objects = batch.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.object]));
    const views = undecoded(objects)[Symbol.iterator]();
    yield batch.map((event) =>
      event.type === 'BOOKMARK' ? event : { ...event, object: views.next().value as ObjectView<T> },
    );
  }
}

/** Input that is not plain stays unchanged. */
function undecoded<T extends KubernetesObject>(views: readonly ObjectView<T>[]): ObjectView<T>[] {
  const texts = views.map(({ object }) => Buffer.from(JSON.stringify(object) ?? 'null'));
  const source = { bytes: Buffer.concat(texts) };
  let start = 0;
  return texts.map(({ length }, index) => {
    const end = scanner.scanObject(source.bytes, start, source.bytes.length);
    const isPlain = scanner.plain && end === start + length;
    const view = isPlain ? new JsonView<T>(source, start, end, scanner, undefined) : views[index];
    start += length;
    return view as ObjectView<T>;
  });
}
