import { expect } from 'chai';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import { DeferredCacher } from '../../../lib/server/cacher/deferred-cacher.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import { CacherHarness, pod, podKey, PREFIX, WatchRecorder, type Pod } from './cacher-harness.ts';

describe('DeferredCacher', () => {
  let harness: CacherHarness;
  let made: Cacher<Pod>[];
  let storage: DeferredCacher<Pod>;

  beforeEach(async () => {
    harness = new CacherHarness();
    const { raw, runtime } = harness;
    const start = await raw.getCurrentResourceVersion();
    made = [];
    storage = new DeferredCacher<Pod>({
      storage: raw,
      make: () => {
        const cacher = new Cacher<Pod>({ storage: raw, resourcePrefix: PREFIX, runtime });
        cacher.startLater(start);
        made.push(cacher);
        return cacher;
      },
    });
  });

  afterEach(async () => {
    await harness.runtime.run(storage.close());
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  it('makes no cacher for writes, for reads without a version and for figures', async () => {
    await storage.create(podKey('a'), pod('a'));
    await storage.guaranteedUpdate(podKey('a'), () => ({ object: pod('a', { node: 'n1' }) }));
    expect((await storage.get(podKey('a')))?.object.spec?.nodeName).to.equal('n1');
    expect((await storage.stats()).objectCount).to.equal(1);
    await storage.delete(podKey('a'));
    expect(made).to.deep.equal([]);
    expect(storage.cacher).to.equal(undefined);
  });

  it('makes one for all readers, with the history from before the first of them', async () => {
    const created = await storage.create(podKey('a'), pod('a'));
    await storage.delete(podKey('a'));
    const { resourceVersion } = created;
    const watch = await harness.runtime.run(storage.watch(PREFIX, { resourceVersion }));
    const recorder = new WatchRecorder(watch);
    await storage.create(podKey('b'), pod('b'));
    const list = await harness.runtime.run(storage.getList(PREFIX));
    await harness.runtime.settle();
    expect(recorder.lines).to.deep.equal(['DELETED shop/a @3', 'ADDED shop/b @4']);
    expect(list.items.map(({ metadata }) => metadata.name)).to.deep.equal(['b']);
    expect(made).to.deep.equal([storage.cacher]);
  });

  it('makes one for a scan', async () => {
    await storage.create(podKey('a'), pod('a'));
    const { items } = await harness.runtime.run(storage.scan(PREFIX));
    expect([...items].map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
    expect(made).to.deep.equal([storage.cacher]);
  });

  it('makes one for a read of a version and for the check of readiness', async () => {
    const { resourceVersion } = await storage.create(podKey('a'), pod('a'));
    await harness.runtime.run(storage.get(podKey('a'), { resourceVersion }));
    await harness.runtime.run(storage.readinessCheck());
    expect(made.map(({ started }) => started)).to.deep.equal([true]);
  });

  it('answers a reader after the end as a stopped cacher does', async () => {
    await harness.runtime.run(storage.close());
    expect(storage.stopped).to.equal(true);
    const refused = await harness.runtime.run(
      storage.getList(PREFIX).catch((error: unknown) => error),
    );
    expect(refused).to.be.instanceOf(ApiError);
    expect(made.map(({ started, stopped }) => [started, stopped])).to.deep.equal([[false, true]]);
  });
});
