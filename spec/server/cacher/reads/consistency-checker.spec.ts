import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { silentMetrics } from '../../../../lib/kernel/report/metrics.ts';
import { expired } from '../../../../lib/meta/failure/failures.ts';
import type { CacherOptions } from '../../../../lib/server/cacher/cacher-options.ts';
import type { ConsistencyReport } from '../../../../lib/server/cacher/reads/consistency-checker.ts';
import type {
  GetListOptions,
  StorageInterface,
} from '../../../../lib/server/storage/contract/storage-interface.ts';
import { CacherHarness, overriding, podKey, PREFIX, type Pod } from '../cacher-harness.ts';
import { losing } from '../lossy-storage.ts';

const MINUTE_MS = 60_000;
const EXACT = { resourceVersionMatch: 'Exact' } as const;

describe('ConsistencyChecker', () => {
  let harness: CacherHarness;
  /** Keys whose changes the cache does not hear of. */
  let lost: Set<string>;
  /** Lists of more than one key that reached the raw storage. */
  let lists: GetListOptions<Pod>[];
  let errors: string[];
  let warnings: string[];
  let counted: string[];
  let listFailure: Error | undefined;
  /** Lists of the raw storage wait for it. */
  let listHeld: Promise<void> | undefined;

  async function set(options: Partial<CacherOptions<Pod>> = {}): Promise<void> {
    lost = new Set();
    lists = [];
    errors = [];
    warnings = [];
    counted = [];
    listFailure = undefined;
    listHeld = undefined;
    const spying = (raw: StorageInterface<Pod>): StorageInterface<Pod> =>
      overriding(losing(raw, lost), {
        getList: async (key, asked = {}) => {
          if (asked.recursive !== false) lists.push(asked);
          if (listFailure !== undefined && asked.recursive !== false) throw listFailure;
          await listHeld;
          return await raw.getList(key, asked);
        },
      });
    harness = new CacherHarness(
      {
        description: 'pods',
        logger: {
          ...silentLogger,
          error: (message, fields) => errors.push(logLine(message, fields).line),
          warn: (message) => warnings.push(message),
        },
        metrics: {
          ...silentMetrics,
          count: (name, _by, labels) => {
            if (name.includes('consistency'))
              counted.push(`${labels?.['resource']} ${labels?.['status']}`);
          },
        },
        ...options,
      },
      spying,
    );
    for (const name of ['a', 'b', 'c']) await harness.create(name);
    await harness.runtime.run(harness.cacher.readinessCheck());
    lists.length = 0;
  }
  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  const check = async (): Promise<ConsistencyReport> => {
    await harness.runtime.settle();
    return await harness.runtime.run(harness.cacher.checkConsistency());
  };
  /** Whether a list has to go to the storage. */
  const asksStorage = async (options: GetListOptions<Pod>): Promise<boolean> => {
    lists.length = 0;
    await harness.runtime.run(harness.cacher.getList(PREFIX, options));
    return lists.length > 0;
  };

  it('finds no difference in a cache that got all events', async () => {
    await set();
    await harness.update('b', { node: 'n' });
    await harness.delete('c');
    await harness.writeElsewhere();
    const report = await check();
    expect(report).to.deep.equal({
      consistent: true,
      resourceVersion: '6',
      firstDifference: undefined,
    });
    expect([counted, errors]).to.deep.equal([['pods success'], []]);
  });

  for (const [what, change, expected] of [
    ['an old version', (h: CacherHarness) => h.update('b', { node: 'n' }), ['3', '5']],
    ['an object that is gone', (h: CacherHarness) => h.delete('b'), ['3', undefined]],
  ] as const) {
    it(`finds ${what} in the cache, and names it`, async () => {
      await set();
      lost.add(podKey('b'));
      await change(harness);
      await harness.update('c', { node: 'n' });
      const { consistent, firstDifference } = await check();
      const [cachedResourceVersion, storedResourceVersion] = expected;
      expect(consistent).to.equal(false);
      expect(firstDifference).to.deep.equal({
        key: podKey('b'),
        cachedResourceVersion,
        storedResourceVersion,
      });
      expect(harness.cacher.status.consistent).to.equal(false);
      expect(counted).to.deep.equal(['pods failure']);
      expect(errors.join()).to.contain(podKey('b')).and.to.contain('cachedResourceVersion=3');
    });
  }

  it('finds the last object of the cache when it is gone', async () => {
    await set();
    lost.add(podKey('c'));
    await harness.delete('c');
    await harness.update('a', { node: 'n' });
    expect((await check()).firstDifference).to.deep.equal({
      key: podKey('c'),
      cachedResourceVersion: '4',
      storedResourceVersion: undefined,
    });
  });

  it('finds an object that the cache does not have, first or last', async () => {
    await set();
    for (const name of ['z', '0']) lost.add(podKey(name));
    await harness.create('z');
    await harness.update('a', { node: 'n' });
    expect((await check()).firstDifference).to.deep.equal({
      key: podKey('z'),
      cachedResourceVersion: undefined,
      storedResourceVersion: '5',
    });
    await harness.create('0');
    await harness.update('a', { node: 'm' });
    expect((await check()).firstDifference?.key).to.equal(podKey('0'));
  });

  it('sends reads to the storage from then on, until a check finds no difference', async () => {
    await set();
    const reads: readonly GetListOptions<Pod>[] = [
      {},
      { resourceVersion: '0' },
      { resourceVersion: '4' },
      { resourceVersion: '4', ...EXACT },
    ];
    for (const read of reads) expect(await asksStorage(read), JSON.stringify(read)).to.equal(false);
    lost.add(podKey('b'));
    await harness.delete('b');
    await harness.update('c', { node: 'n' });
    await check();
    for (const read of reads) expect(await asksStorage(read), JSON.stringify(read)).to.equal(true);
    const { items } = await harness.runtime.run(harness.cacher.getList(PREFIX));
    expect(items.map(({ key }) => key)).to.deep.equal([podKey('a'), podKey('c')]);
    const gone = harness.cacher.get(podKey('b'), { resourceVersion: '0', ignoreNotFound: true });
    expect(await harness.runtime.run(gone)).to.equal(undefined);

    lost.clear();
    await harness.create('b');
    expect((await check()).consistent).to.equal(true);
    expect(harness.cacher.status.consistent).to.equal(true);
    for (const read of reads.slice(0, 2)) expect(await asksStorage(read)).to.equal(false);
  });

  it('sends a list to the storage that waited while a check found a difference', async () => {
    await set();
    const waiting = harness.cacher.getList(PREFIX, {
      resourceVersion: '7',
      resourceVersionMatch: 'NotOlderThan',
    });
    await harness.runtime.settle();
    lost.add(podKey('b'));
    await harness.delete('b');
    await harness.update('c', { node: 'n' });
    expect((await check()).consistent).to.equal(false);
    await harness.update('c', { node: 'm' });
    const { items } = await harness.runtime.run(waiting);
    expect(items.map(({ key }) => key)).to.deep.equal([podKey('a'), podKey('c')]);
  });

  it('believes the check that began last, also if one from before ends later', async () => {
    await set();
    lost.add(podKey('b'));
    await harness.delete('b');
    await harness.update('c', { node: 'n' });
    await harness.runtime.settle();
    const held = deferred<void>();
    listHeld = held.promise;
    const early = harness.cacher.checkConsistency();
    await harness.runtime.settle();
    listHeld = undefined;
    lost.clear();
    await harness.create('b');
    expect((await check()).consistent).to.equal(true);
    held.resolve();
    expect((await harness.runtime.run(early)).consistent).to.equal(false);
    expect(harness.cacher.status.consistent).to.equal(true);
  });

  it('begins watches with the state of the storage, and misses nothing after it', async () => {
    await set();
    lost.add(podKey('b'));
    await harness.delete('b');
    await harness.update('c', { node: 'n' });
    await check();
    for (const options of [{}, { sendInitialEvents: true, progressNotify: true }]) {
      const recorder = await harness.record(options);
      const version = await harness.update('c', { node: JSON.stringify(options) });
      await harness.runtime.settle();
      const objects = recorder.lines.filter((line) => !line.startsWith('BOOKMARK'));
      expect(objects.map((line) => line.split(' @')[0])).to.deep.equal([
        'ADDED shop/a',
        'ADDED shop/c',
        'MODIFIED shop/c',
      ]);
      expect(objects.at(-1)).to.contain(`@${version}`);
    }
  });

  it('checks every five minutes, up to a half later', async () => {
    const times = [0];
    const count = (name: string): void => {
      if (name.includes('consistency')) times.push(harness.runtime.monotonicMs());
    };
    await set({ metrics: { ...silentMetrics, count } });
    await harness.runtime.advance(60 * MINUTE_MS);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).to.have.length.within(8, 12);
    for (const gap of gaps) expect(gap).to.be.within(5 * MINUTE_MS, 7.5 * MINUTE_MS);
    expect(new Set(gaps.map(Math.round)).size, 'at different distances').to.be.above(1);
  });

  it('checks only on demand when the interval is 0', async () => {
    await set({ consistencyCheckIntervalMs: 0 });
    await harness.runtime.advance(60 * MINUTE_MS);
    expect(counted).to.deep.equal([]);
    expect((await check()).consistent).to.equal(true);
  });

  it('changes nothing when the storage does not answer, and tries again', async () => {
    await set();
    listFailure = expired('compacted');
    await harness.runtime.advance(8 * MINUTE_MS);
    expect(counted).to.deep.equal(['pods error']);
    expect(warnings.join()).to.contain('could not be compared');
    expect(harness.cacher.status.consistent).to.equal(true);
    expect(await asksStorageFails()).to.equal(false);
    listFailure = undefined;
    await harness.runtime.advance(8 * MINUTE_MS);
    expect(counted).to.deep.equal(['pods error', 'pods success']);
  });

  it('reads the storage in pages of one state, while there are writes', async () => {
    await set();
    const puts = Array.from(
      { length: 120 },
      (_, index) =>
        ({
          type: 'put',
          key: podKey(`m${index}`),
          value: Buffer.from(JSON.stringify({ metadata: { name: `m${index}` } })),
        }) as const,
    );
    for (let round = 0; round < 90; round += 1) {
      const some = puts.map((put) => ({ ...put, key: `${put.key}-${round}` }));
      await harness.store.txn({ compare: [], success: some });
    }
    await harness.runtime.settle();
    expect(harness.cacher.status.objectCount).to.equal(10_803);
    const running = harness.cacher.checkConsistency();
    await harness.delete('a');
    await harness.create('a');
    expect((await harness.runtime.run(running)).consistent).to.equal(true);
    expect(lists.map(({ continueToken }) => continueToken === undefined)).to.deep.equal([
      true,
      false,
    ]);
  });

  async function asksStorageFails(): Promise<boolean> {
    try {
      await harness.runtime.run(harness.cacher.getList(PREFIX));
      return false;
    } catch {
      return true;
    }
  }
});
