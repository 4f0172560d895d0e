import { expect } from 'chai';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { expired } from '../../../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { ObjectFollower } from '../../../../lib/server/registry/followed/object-follower.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';

class FlakyStorage extends KeyValueStorage<UnstructuredObject> {
  /** How many of the next watches fail. */
  failures = 0;

  override async watch(
    ...given: Parameters<KeyValueStorage<UnstructuredObject>['watch']>
  ): ReturnType<KeyValueStorage<UnstructuredObject>['watch']> {
    this.failures -= 1;
    if (this.failures >= 0) throw expired('too old');
    return await super.watch(...given);
  }
}

describe('ObjectFollower', () => {
  let runtime: VirtualRuntime;
  let store: EmbeddedKeyValueStore;
  let storage: FlakyStorage;
  let seen: string[];
  let follower: ObjectFollower;
  let warnings: string[];

  beforeEach(() => {
    runtime = new VirtualRuntime();
    store = new EmbeddedKeyValueStore({ runtime });
    storage = new FlakyStorage({ store, resourcePrefix: '/registry/things', runtime });
    seen = [];
    warnings = [];
    follower = new ObjectFollower({
      name: 'things',
      storage,
      prefix: '/registry/things/',
      runtime,
      logger: { ...silentLogger, warn: (text) => warnings.push(text) },
      onPresent: ({ metadata }) => seen.push(`+${metadata.name}`),
      onGone: ({ metadata }) => seen.push(`-${metadata.name}`),
    });
  });

  afterEach(async () => {
    await runtime.run(follower.close());
    await runtime.run(store.close());
  });

  const key = (name: string): string => `/registry/things/${name}`;
  const create = (name: string): Promise<unknown> =>
    storage.create(key(name), { metadata: { name } });

  it('goes on without what cannot be read, and does not take it for gone', async () => {
    await create('a');
    await create('b');
    await runtime.run(follower.start());
    storage.failures = 1;
    const corrupt = { type: 'put', key: key('a'), value: Buffer.from('{') } as const;
    await store.txn({ compare: [], success: [corrupt] });
    await storage.delete(key('b'));
    await create('c');
    await runtime.advance(1000);
    // Present objects may be reported again.
    expect([...new Set(seen)]).to.deep.equal(['+a', '+b', '-b', '+c']);
    await storage.delete(key('a'), { onlyIfUnreadable: true });
    await runtime.advance(20_000);
    await create('d');
    await runtime.advance(20_000);
    expect(seen.filter((one) => /[ad]/.test(one))).to.deep.equal(['+a', '-a', '+d']);
  });

  it('has reported what exists when start resolves, then follows', async () => {
    await create('a');
    await runtime.run(follower.start());
    expect(seen).to.deep.equal(['+a']);
    await create('b');
    await storage.delete(key('a'));
    await runtime.settle();
    expect(seen).to.deep.equal(['+a', '+b', '-a']);
  });

  it('reports what vanished while the watch was broken', async () => {
    await create('a');
    await create('b');
    storage.failures = 1;
    await runtime.run(follower.start());
    await storage.delete(key('a'));
    await create('c');
    seen.length = 0;
    await runtime.advance(1000);
    expect(seen).to.have.members(['-a', '+b', '+c']);
    expect(warnings).to.have.length(1);
    await create('d');
    await runtime.settle();
    expect(seen.at(-1)).to.equal('+d');
  });

  it('slows down while the storage keeps failing', async () => {
    storage.failures = Number.POSITIVE_INFINITY;
    await runtime.run(follower.start());
    await runtime.advance(60_000);
    expect(warnings.length).to.be.within(5, 20);
  });
});
