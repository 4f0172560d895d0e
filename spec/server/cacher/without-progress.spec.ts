import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { isTooLargeResourceVersion } from '../../../lib/meta/failure/failures.ts';
import type { StorageInterface } from '../../../lib/server/storage/contract/storage-interface.ts';
import {
  CacherHarness,
  overriding,
  podKey,
  PREFIX,
  selecting,
  type Pod,
} from './cacher-harness.ts';
import { checkInterleaving } from './interleaving.ts';

const WATCH_LIST = { sendInitialEvents: true, progressNotify: true } as const;
const WEB = { labels: { app: 'web' } };

describe('Cacher over a storage without progress', () => {
  let harness: CacherHarness;
  /** Reads that reached the raw storage. */
  let reads: string[];
  /** Runs between a list and its answer. */
  let afterList: (() => Promise<void>) | undefined;

  function set(runtime?: VirtualRuntime): void {
    reads = [];
    afterList = undefined;
    const plain = (raw: StorageInterface<Pod>): StorageInterface<Pod> =>
      overriding(raw, {
        supportsProgress: false,
        requestWatchProgress: () =>
          Promise.reject(new Error('no request for progress is expected')),
        get: (key, options) => {
          reads.push('get');
          return raw.get(key, options);
        },
        getList: async (key, options) => {
          reads.push('list');
          const list = await raw.getList(key, options);
          await afterList?.();
          return list;
        },
      });
    harness = new CacherHarness({}, plain, runtime);
  }
  async function setReady(): Promise<void> {
    set();
    await harness.create('a', WEB);
    await harness.create('b');
    await harness.runtime.run(harness.cacher.readinessCheck());
    reads.length = 0;
  }
  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  it('says so itself', async () => {
    await setReady();
    expect(harness.cacher.supportsProgress).to.equal(false);
  });

  it('answers from the cache what the cache shows already', async () => {
    await setReady();
    for (const resourceVersion of ['0', '2', '3']) {
      await harness.runtime.run(harness.cacher.get(podKey('a'), { resourceVersion }));
      await harness.runtime.run(harness.cacher.getList(PREFIX, { resourceVersion }));
    }
    expect(reads).to.deep.equal([]);
  });

  it('lets the storage answer at once what it cannot know', async () => {
    await setReady();
    await harness.writeElsewhere();
    const { cacher, runtime } = harness;
    const found = await runtime.run(cacher.get(podKey('a'), { resourceVersion: '4' }));
    expect(found?.resourceVersion).to.equal('2');
    const list = await runtime.run(cacher.getList(PREFIX, { resourceVersion: '4' }));
    expect([list.items.length, list.resourceVersion]).to.deep.equal([2, '4']);
    const latest = await runtime.run(cacher.getList(PREFIX));
    expect(latest.resourceVersion).to.equal('4');
    expect(reads).to.deep.equal(['get', 'list', 'list']);
    expect(runtime.monotonicMs()).to.equal(0);
  });

  it('refuses a version that even the storage has not reached', async () => {
    await setReady();
    const { cacher, runtime } = harness;
    for (const read of [
      () => cacher.get(podKey('a'), { resourceVersion: '99' }),
      () => cacher.getList(PREFIX, { resourceVersion: '99' }),
    ]) {
      const error: unknown = await runtime.run(read().catch((reason: unknown) => reason));
      expect(isTooLargeResourceVersion(error)).to.equal(true);
    }
    const recorder = await harness.record({ ...WATCH_LIST, resourceVersion: '99' });
    await recorder.done;
    expect(isTooLargeResourceVersion(recorder.error)).to.equal(true);
    expect(runtime.monotonicMs()).to.equal(0);
  });

  it('begins a streaming list with the state of the storage, and goes on with the changes', async () => {
    await setReady();
    await harness.writeElsewhere();
    const web = { ...WATCH_LIST, predicate: selecting('app=web') };
    const [all, some] = [await harness.record(WATCH_LIST), await harness.record(web)];
    await harness.create('c', WEB);
    await harness.runtime.settle();
    expect(all.lines).to.deep.equal([
      'ADDED shop/a @2',
      'ADDED shop/b @3',
      'BOOKMARK @4 end',
      'ADDED shop/c @5',
    ]);
    expect(some.lines).to.deep.equal(['ADDED shop/a @2', 'BOOKMARK @4 end', 'ADDED shop/c @5']);
    expect(reads).to.deep.equal(['list', 'list']);
  });

  it('begins it with the state of the cache when that is known to be the newest', async () => {
    await setReady();
    const recorder = await harness.record(WATCH_LIST);
    await harness.runtime.settle();
    expect(recorder.lines.at(-1)).to.equal('BOOKMARK @3 end');
    expect(reads).to.deep.equal([]);
  });

  it('sends the changes that happened while the storage listed the state, once, after the end bookmark', async () => {
    await setReady();
    await harness.writeElsewhere();
    afterList = async () => {
      afterList = undefined;
      await harness.create('c');
      await harness.delete('a');
      await new Promise<void>((resolve) => harness.runtime.queueTask(resolve));
      await harness.update('b', WEB);
    };
    const recorder = await harness.record(WATCH_LIST);
    await harness.runtime.settle();
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/a @2',
      'ADDED shop/b @3',
      'BOOKMARK @4 end',
      'ADDED shop/c @5',
      'DELETED shop/a @6',
      'MODIFIED shop/b @7',
    ]);
  });

  it('misses nothing and repeats nothing, in every order of writes and registrations', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      set(new VirtualRuntime({ seed, order: 'random' }));
      await checkInterleaving(harness, seed);
      if (seed < 20) await harness.stop();
    }
  });

  it('sends bookmarks of what has happened, and none that goes back', async () => {
    await setReady();
    await harness.writeElsewhere();
    const recorder = await harness.record(WATCH_LIST);
    await harness.runtime.advance(61_500);
    await harness.create('c');
    await harness.runtime.advance(61_500);
    const bookmarks = recorder.lines.filter((line) => line.startsWith('BOOKMARK'));
    expect(bookmarks).to.deep.equal(['BOOKMARK @4 end', 'BOOKMARK @5']);
  });

  it('forgets history without a progress report', async () => {
    await setReady();
    await harness.writeElsewhere();
    await harness.runtime.run(harness.cacher.forgetHistory('4'));
    const recorder = await harness.record({ resourceVersion: '2' });
    await recorder.done;
    expect(recorder.error).to.include({ code: 'EXPIRED' });
  });
});
