import { expect } from 'chai';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type { StorageWatch } from '../../../../lib/server/storage/contract/storage-interface.ts';
import type {
  PlainValue,
  TransformContext,
  Transformer,
} from '../../../../lib/server/storage/value/transformer.ts';
import {
  CONFORMANCE_PREFIX,
  conformanceKey,
  conformancePod,
  type ConformancePod,
} from '../../../../lib/conformance/storage/conformance-pod.ts';

/** A transformer that takes between 1 and 20 ms for a value, as a key service does. */
class SlowTransformer implements Transformer {
  readonly unreadable: Set<string> = new Set();
  underWay = 0;
  most = 0;
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    this.#runtime = runtime;
  }

  async fromStorage(data: Uint8Array, { key }: TransformContext): Promise<PlainValue> {
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    await sleep(this.#runtime, 1 + this.#runtime.random() * 19);
    this.underWay -= 1;
    if (this.unreadable.has(key)) throw new Error('the value was made unreadable');
    return { data, stale: false };
  }

  toStorage(data: Uint8Array): Uint8Array {
    return data;
  }
}

describe('ReadAhead', () => {
  const COUNT = 100;
  let runtime: VirtualRuntime;
  let store: EmbeddedKeyValueStore;
  let transformer: SlowTransformer;
  let storage: KeyValueStorage<ConformancePod>;
  const paths = Array.from({ length: COUNT }, (_, index) => `a/${index + 100}`);

  beforeEach(async () => {
    runtime = new VirtualRuntime();
    store = new EmbeddedKeyValueStore({ runtime });
    transformer = new SlowTransformer(runtime);
    const resourcePrefix = CONFORMANCE_PREFIX;
    storage = new KeyValueStorage({ store, resourcePrefix, transformer, runtime });
  });
  afterEach(async () => {
    await store.close();
    expect(runtime.pending).to.equal(0);
  });

  async function createAll(): Promise<void> {
    for (const path of paths) await storage.create(conformanceKey(path), conformancePod(path));
  }

  async function keysOf(watch: StorageWatch<ConformancePod>, count: number): Promise<string[]> {
    const keys: string[] = [];
    for await (const batch of watch) {
      for (const event of batch) if (event.type !== 'BOOKMARK') keys.push(event.object.key);
      if (keys.length >= count) return keys;
    }
    return keys;
  }

  it('lists in order, ten values at a time', async () => {
    await createAll();
    const { items } = await runtime.run(storage.getList(CONFORMANCE_PREFIX));
    expect(items.map(({ key }) => key)).to.deep.equal(paths.map(conformanceKey));
    expect(transformer.most).to.equal(10);
    // One after the other they would take a second.
    expect(runtime.monotonicMs()).to.be.below(300);
  });

  it('watches in order, ten values at a time, initial state and changes', async () => {
    await createAll();
    const initial = await storage.watch(CONFORMANCE_PREFIX);
    const keys = paths.map(conformanceKey);
    expect(await runtime.run(keysOf(initial, COUNT))).to.deep.equal(keys);
    const changes = await storage.watch(CONFORMANCE_PREFIX, { resourceVersion: '1' });
    transformer.most = 0;
    expect(await runtime.run(keysOf(changes, COUNT))).to.deep.equal(keys);
    expect(transformer.most).to.equal(10);
    expect(runtime.monotonicMs()).to.be.below(600);
  });

  it('delivers everything before a value that cannot be read, and nothing after it', async () => {
    await createAll();
    transformer.unreadable.add(conformanceKey(paths[33] ?? ''));
    transformer.unreadable.add(conformanceKey(paths[35] ?? ''));
    const watch = await storage.watch(CONFORMANCE_PREFIX, { resourceVersion: '1' });
    const keys: string[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of watch) {
        for (const event of batch) if (event.type !== 'BOOKMARK') keys.push(event.object.key);
      }
    };
    const error: unknown = await runtime.run(read().catch((reason: unknown) => reason));
    expect(error).to.include({ code: 'INTERNAL_ERROR' });
    expect(keys).to.deep.equal(paths.slice(0, 33).map(conformanceKey));
    await runtime.settle();
    await runtime.advance(100);
    expect(transformer.underWay).to.equal(0);
  });
});
