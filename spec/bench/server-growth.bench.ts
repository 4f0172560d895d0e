import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { Cacher } from '../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../lib/server/storage/key-value-storage.ts';
import type { StorageWatch } from '../../lib/server/storage/contract/storage-interface.ts';
import { each, timed, type Bench, type BenchSize, type Figure } from './bench.ts';

const PREFIX = '/registry/configmaps/';
const SIZES: Readonly<Record<BenchSize, readonly number[]>> = {
  tiny: [100, 200],
  quick: [1000, 10_000, 100_000],
  full: [1000, 10_000, 100_000, 1_000_000],
};

function keyOf(index: number): string {
  return `${PREFIX}ns-${index % 500}/c${index}`;
}

function objectOf(index: number, color: string = 'blue'): UnstructuredObject {
  const metadata = { name: `c${index}`, namespace: `ns-${index % 500}` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { color } };
}

/** A storage behind a watch cache, and one watcher of everything. */
class Growing {
  readonly #store = new EmbeddedKeyValueStore();
  readonly #cacher: Cacher<UnstructuredObject> = new Cacher({
    storage: new KeyValueStorage<UnstructuredObject>({
      store: this.#store,
      resourcePrefix: PREFIX,
    }),
    resourcePrefix: PREFIX,
  });
  #size = 0;
  #seen = 0;
  #target = Number.POSITIVE_INFINITY;
  #reached = (): void => {};
  #reading: Promise<void> | undefined;

  async begin(): Promise<void> {
    this.#reading = this.#read(await this.#cacher.watch(PREFIX));
  }

  /** Creates objects one after the other, until the watcher has them. */
  async grow(to: number): Promise<void> {
    await this.#after(to - this.#size, async () => {
      for (; this.#size < to; this.#size += 1) {
        await this.#cacher.create(keyOf(this.#size), objectOf(this.#size));
        if (this.#size % 100 === 0) await turn();
      }
    });
  }

  /** Updates objects all over the store, until the watcher has the changes. */
  async update(count: number, color: string): Promise<void> {
    await this.#after(count, async () => {
      for (let done = 0; done < count; done += 1) {
        const index = (done * 7919) % this.#size;
        const object = objectOf(index, `${color}${done}`);
        await this.#cacher.guaranteedUpdate(keyOf(index), () => ({ object }));
        if (done % 100 === 0) await turn();
      }
    });
  }

  /** Reads one page in the middle of the store. */
  async page(): Promise<void> {
    await this.#cacher.getList(`${PREFIX}ns-250/`, { limit: 10 });
  }

  async end(): Promise<void> {
    await this.#cacher.close();
    await this.#store.close();
    await this.#reading;
  }

  async #after(events: number, work: () => Promise<void>): Promise<void> {
    this.#target = this.#seen + events;
    const all = new Promise<void>((resolve) => {
      this.#reached = resolve;
    });
    await work();
    await all;
  }

  async #read(watch: StorageWatch<UnstructuredObject>): Promise<void> {
    for await (const batch of watch) {
      this.#seen += batch.length;
      if (this.#seen >= this.#target) this.#reached();
    }
  }
}

async function pages(growing: Growing, count: number): Promise<void> {
  for (let page = 0; page < count; page += 1) await growing.page();
}

/** Requests come in tasks of their own; so does the watcher's turn. */
async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

export const bench: Bench = {
  id: 'S2',
  title:
    'S2 a create, an update and a page through the watch cache, as the number of objects grows',
  repeats: 3,
  run: async (size) => {
    const count = size === 'tiny' ? 20 : 2000;
    const growing = new Growing();
    const figures: Figure[] = [];
    await growing.begin();
    // So that the smallest size is not the one that is measured while code is being compiled.
    await growing.grow(count / 4);
    for (let round = 0; round < 8; round += 1) {
      await growing.update(count, `white${round}`);
      await pages(growing, count);
    }
    let reached = count / 4;
    for (const objects of SIZES[size]) {
      if (objects > reached) await growing.grow(objects);
      reached = Math.max(reached, objects) + count;
      const name = `${objects.toLocaleString('en')} objects`;
      const createMs = await timed(() => growing.grow(reached));
      await growing.update(count, 'red');
      const updateMs = await timed(() => growing.update(count, 'green'));
      const pageMs = await timed(() => pages(growing, count));
      figures.push(each(`create and its event, ${name}`, count, createMs));
      figures.push(each(`update and its event, ${name}`, count, updateMs));
      figures.push(each(`page of 10, ${name}`, count, pageMs));
    }
    await growing.end();
    return figures;
  },
};
