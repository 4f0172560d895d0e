import { expect } from 'chai';
import type { Cacher } from '../../../../lib/server/cacher/cacher.ts';
import type { StoredObject } from '../../../../lib/server/storage/contract/stored-object.ts';
import { CacherHarness, pod, podKey, PREFIX, type Pod } from '../cacher-harness.ts';
import { ItemsRead } from '../items-read.ts';

describe('a scan of a watch cache', () => {
  let harness: CacherHarness;
  let storage: Cacher<Pod>;

  beforeEach(async () => {
    harness = new CacherHarness();
    storage = harness.cacher;
    for (const name of ['a', 'b', 'c']) await harness.create(name);
    await harness.runtime.run(storage.readinessCheck());
    await harness.runtime.settle();
  });

  afterEach(async () => {
    await harness.stop();
  });

  const namesOf = (items: Iterable<StoredObject<Pod>>): string[] =>
    [...items].map(({ metadata }) => metadata.name ?? '');

  it('reads no object before its reader does, and then one by one', async () => {
    using read = new ItemsRead();
    const { items } = await harness.runtime.run(storage.scan(PREFIX));
    expect(read.count).to.equal(0);
    expect(items[Symbol.iterator]().next().done).to.equal(false);
    expect(read.count).to.equal(1);
  });

  it('has the objects of one version for each later read', async () => {
    const scan = await harness.runtime.run(storage.scan(PREFIX));
    const list = await harness.runtime.run(storage.getList(PREFIX));
    const { resourceVersion } = scan;
    expect(resourceVersion).to.equal(list.resourceVersion);
    await harness.runtime.run(storage.delete(podKey('a')));
    await harness.runtime.run(storage.create(podKey('d'), pod('d')));
    await harness.runtime.settle();
    for (let time = 0; time < 2; time += 1) expect([...scan.items]).to.deep.equal(list.items);
    expect(namesOf((await harness.runtime.run(storage.scan(PREFIX))).items)).to.deep.equal([
      'b',
      'c',
      'd',
    ]);
  });

  it('selects, pages and stays in its namespace as a list does', async () => {
    const page = await harness.runtime.run(storage.scan(PREFIX, { limit: 2 }));
    expect(namesOf(page.items)).to.deep.equal(['a', 'b']);
    expect(page.remainingItemCount).to.equal(1);
    const { continueToken } = page;
    const rest = await harness.runtime.run(storage.scan(PREFIX, { continueToken }));
    expect(namesOf(rest.items)).to.deep.equal(['c']);
    const other = await harness.runtime.run(storage.scan(`${PREFIX}/other/`));
    expect(namesOf(other.items)).to.deep.equal([]);
  });
});
