import { expect } from 'chai';
import { isExpired } from '../../../lib/meta/failure/failures.ts';
import { CacherHarness, podKey, PREFIX } from './cacher-harness.ts';

describe('Cacher.startLater', () => {
  let harness: CacherHarness;

  beforeEach(async () => {
    harness = new CacherHarness();
    harness.cacher.startLater(await harness.raw.getCurrentResourceVersion());
  });

  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  it('does not fill the cache for writes and for reads that the storage answers', async () => {
    await harness.create('a');
    await harness.cacher.get(podKey('a'));
    await harness.runtime.settle();
    expect(harness.cacher.started).to.equal(false);
    expect(harness.cacher.status.readiness).to.equal('pending');
  });

  it('gives the first watch the history from before it', async () => {
    const created = await harness.create('a');
    await harness.update('a', { node: 'n1' });
    await harness.delete('a');
    const late = await harness.record({ resourceVersion: created });
    await harness.create('b');
    await harness.runtime.settle();
    expect(late.lines).to.deep.equal([
      'MODIFIED shop/a @3',
      'DELETED shop/a @4',
      'ADDED shop/b @5',
    ]);
  });

  it('lets the first list of any version contain all that was written before it', async () => {
    for (const name of ['a', 'b', 'c']) await harness.create(name);
    await harness.delete('b');
    await harness.writeElsewhere();
    const list = await harness.runtime.run(
      harness.cacher.getList(PREFIX, { resourceVersion: '0' }),
    );
    expect(list.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'c']);
    expect(Number(list.resourceVersion)).to.be.at.least(6);
  });

  it('begins at the last compaction, as the storage does', async () => {
    const created = await harness.create('a');
    const second = await harness.create('b');
    await harness.create('c');
    await harness.store.compact(BigInt(second));
    const tooOld = await harness.record({ resourceVersion: created });
    const kept = await harness.record({ resourceVersion: second });
    await harness.runtime.settle();
    expect(isExpired(tooOld.error)).to.equal(true);
    expect(kept.lines).to.deep.equal(['ADDED shop/c @4']);
  });

  it('leaves out history of more than 50 000 revisions', async () => {
    const created = await harness.create('a');
    for (let write = 0; write < 50_000; write += 1) await harness.writeElsewhere();
    const second = await harness.create('b');
    const tooOld = await harness.record({ resourceVersion: created });
    const kept = await harness.record({ resourceVersion: String(Number(second) - 1) });
    await harness.runtime.settle();
    expect(isExpired(tooOld.error)).to.equal(true);
    expect(kept.lines).to.deep.equal([`ADDED shop/b @${second}`]);
  });

  it('begins again with what is left when the past state is compacted between two pages', async () => {
    const { raw, store } = harness;
    const getList = raw.getList.bind(raw);
    let lists = 0;
    raw.getList = async (key, options) => {
      lists += 1;
      const page = await getList(key, { ...options, limit: 1 });
      if (lists === 1) await store.compact(BigInt(third));
      return page;
    };
    for (const name of ['a', 'b']) await harness.create(name);
    harness.cacher.startLater(await raw.getCurrentResourceVersion());
    const third = await harness.create('c');
    await harness.create('d');
    const kept = await harness.record({ resourceVersion: third });
    await harness.runtime.settle();
    expect(kept.lines).to.deep.equal(['ADDED shop/d @5']);
    expect(lists).to.equal(5);
  });
});
