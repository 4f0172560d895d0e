import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
} from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type { StorageWatchOptions } from '../../../../lib/server/storage/contract/storage-interface.ts';

/** An engine behind a slow line: a watch is registered some time after it was asked for. */
class DistantStore extends EmbeddedKeyValueStore implements KeyValueStore {
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  override async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    await new Promise<void>((resolve) => {
      this.#runtime.setTimer(50, resolve);
    });
    return await super.watch(request);
  }
}

describe('RawStorageWatch', () => {
  const runtime = new VirtualRuntime();
  let store: DistantStore;
  let storage: KeyValueStorage<UnstructuredObject>;
  beforeEach(() => {
    store = new DistantStore(runtime);
    storage = new KeyValueStorage({ store, resourcePrefix: '/pods/', runtime });
  });
  afterEach(async () => {
    await store.close();
  });

  const create = (name: string): Promise<unknown> =>
    storage.create(`/pods/${name}`, { metadata: { name } });

  /** Reads `count` events as `TYPE name@resourceVersion`. */
  async function read(
    count: number,
    options: StorageWatchOptions<UnstructuredObject>,
  ): Promise<string[]> {
    const lines: string[] = [];
    for await (const batch of await storage.watch('/pods', options)) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') lines.push(`BOOKMARK@${event.resourceVersion}`);
        else
          lines.push(`${event.type} ${event.object.metadata.name}@${event.object.resourceVersion}`);
      }
      if (lines.length >= count) break;
    }
    return lines;
  }

  it('misses no write between the state and the changes', async () => {
    await create('a');
    const reading = read(3, { sendInitialEvents: true, progressNotify: true });
    await Promise.resolve();
    await create('b');
    expect(await runtime.run(reading)).to.deep.equal(['ADDED a@2', 'BOOKMARK@2', 'ADDED b@3']);
  });

  it('can be closed while it is being registered', async () => {
    const controller = new AbortController();
    const reading = read(1, { signal: controller.signal });
    controller.abort();
    expect(await runtime.run(reading)).to.deep.equal([]);
    expect(await runtime.run(read(0, { signal: AbortSignal.abort() }))).to.deep.equal([]);
  });

  it('expires where the state before a change is needed and was compacted away', async () => {
    await create('a');
    await storage.guaranteedUpdate('/pods/a', ({ existing }) => ({
      object: { ...existing, n: 1 },
    }));
    await create('b');
    await storage.delete('/pods/a');
    await store.compact(3n);
    const lines = await runtime.run(read(3, { resourceVersion: '2' }));
    expect(lines, 'not needed').to.deep.equal(['MODIFIED a@3', 'ADDED b@4', 'DELETED a@5']);
    await store.compact(5n);
    const failed = read(1, { resourceVersion: '4' }).catch((reason: unknown) => reason);
    expect(await runtime.run(failed)).to.include({ code: 'EXPIRED' });
  });

  it('sends a large state in batches', async () => {
    for (let index = 0; index < 1234; index += 1) await create(`p${index}`);
    const sizes: number[] = [];
    await runtime.run(async () => {
      for await (const batch of await storage.watch('/pods', {
        sendInitialEvents: true,
        progressNotify: true,
      })) {
        sizes.push(batch.length);
        if (batch.at(-1)?.type === 'BOOKMARK') break;
      }
    });
    expect(sizes).to.deep.equal([500, 500, 235]);
  });

  it('forgets a watch that has ended', async () => {
    const watch = await runtime.run(storage.watch('/pods', { resourceVersion: '1' }));
    watch.destroy();
    let asked = 0;
    store.watch = () => {
      asked += 1;
      throw new Error('no');
    };
    await storage.requestWatchProgress();
    expect(asked).to.equal(0);
  });
});
