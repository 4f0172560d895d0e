import { Cacher } from '../../lib/server/cacher/cacher.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../lib/server/storage/key-value-storage.ts';
import { each, sized, timed, type Bench, type Figure } from './bench.ts';
import { configMap, requestOf } from './requests.ts';

/** Counts what arrives at all readers together, and which reader brings what no other has brought. */
class Arrivals<T> {
  readonly different = new Set<T>();
  #missing = 0;
  #arrived: () => void = () => {};

  take(items: readonly T[]): void {
    for (const item of items) this.different.add(item);
    this.#missing -= items.length;
    if (this.#missing === 0) this.#arrived();
  }

  async after(count: number, work: () => Promise<unknown>): Promise<void> {
    this.#missing = count;
    const all = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    await work();
    await all;
  }
}

async function measure<T>(
  name: string,
  arrivals: Arrivals<T>,
  watchers: number,
  events: number,
  write: (event: number) => Promise<unknown>,
): Promise<Figure[]> {
  const tookMs = await timed(async () => {
    for (let event = 0; event < events; event += 1) {
      await arrivals.after(watchers, () => write(event));
    }
  });
  return [
    each(`one event, ${name}`, events, tookMs),
    { name: `encodings of it, ${name}`, value: arrivals.different.size / events, unit: '' },
  ];
}

async function throughCacher(watchers: number, events: number): Promise<Figure[]> {
  const store = new EmbeddedKeyValueStore();
  const resourcePrefix = '/registry/configmaps/';
  const storage = new KeyValueStorage({ store, resourcePrefix });
  const cacher = new Cacher({ storage, resourcePrefix });
  await cacher.getList(resourcePrefix, {});
  const arrivals = new Arrivals<Uint8Array>();
  const readers: Promise<void>[] = [];
  for (let index = 0; index < watchers; index += 1) {
    const watch = await cacher.watch(resourcePrefix, {});
    readers.push(
      (async () => {
        for await (const batch of watch) {
          arrivals.take(batch.flatMap((one) => (one.type === 'BOOKMARK' ? [] : one.object.bytes)));
        }
      })(),
    );
  }
  const figures = await measure('Cacher', arrivals, watchers, events, (event) =>
    cacher.create(`${resourcePrefix}default/c${event}`, configMap(`c${event}`)),
  );
  await cacher.close();
  await store.close();
  await Promise.all(readers);
  return figures;
}

async function throughHandler(watchers: number, events: number): Promise<Figure[]> {
  const server = new ApiServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const abort = new AbortController();
  const arrivals = new Arrivals<Uint8Array>();
  const readers: Promise<void>[] = [];
  for (let index = 0; index < watchers; index += 1) {
    const { body, status } = await server.handler(
      requestOf('GET', `${path}?watch=true`, undefined, abort.signal),
    );
    if (status !== 200 || body instanceof Uint8Array) throw new Error(`no watch: ${status}`);
    readers.push(
      (async () => {
        for await (const piece of body) arrivals.take([piece]);
      })(),
    );
  }
  const figures = await measure('API handler', arrivals, watchers, events, (event) =>
    server.handler(requestOf('POST', path, configMap(`c${event}`))),
  );
  abort.abort();
  await server.close();
  await Promise.all(readers);
  return figures;
}

/** From the write to the last of the watchers that has it, with the write. */
export const bench: Bench = {
  title: 'one change to 1,000 watchers of a watch cache: time, and how often it is encoded',
  run: async (size) => {
    const watchers = sized(size, { tiny: 10, quick: 1000, full: 1000 });
    const events = sized(size, { tiny: 3, quick: 100, full: 500 });
    return [
      ...(await throughCacher(watchers, events)),
      ...(await throughHandler(watchers, events)),
    ];
  },
};
