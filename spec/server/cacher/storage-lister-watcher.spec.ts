import { expect } from 'chai';
import type { StoredObject } from '../../../lib/server/storage/contract/stored-object.ts';
import { Reflector } from '../../../lib/cache/reflector/reflector.ts';
import { StorageListerWatcher } from '../../../lib/server/cacher/storage-lister-watcher.ts';
import type { StorageInterface } from '../../../lib/server/storage/contract/storage-interface.ts';
import {
  CacherHarness,
  line,
  PREFIX,
  selecting,
  WatchRecorder,
  type Pod,
} from './cacher-harness.ts';

describe('StorageListerWatcher', () => {
  let harness: CacherHarness;
  beforeEach(() => {
    harness = new CacherHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  const over = (storage: StorageInterface<Pod>, options: object = {}): StorageListerWatcher<Pod> =>
    new StorageListerWatcher<Pod>({
      storage,
      resourcePrefix: PREFIX,
      runtime: harness.runtime,
      ...options,
    });
  const record = async (
    source: StorageListerWatcher<Pod>,
    request: object,
  ): Promise<WatchRecorder> => new WatchRecorder(await harness.runtime.run(source.watch(request)));

  for (const kind of ['raw', 'cacher'] as const) {
    it(`pages through and watches the ${kind} storage`, async () => {
      const source = over(harness[kind]);
      for (const name of ['a', 'b', 'c']) await harness.create(name);
      const first = await harness.runtime.run(source.list({ limit: 2 }));
      expect(first.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
      const { continueToken } = first;
      const second = await harness.runtime.run(source.list({ limit: 2, continueToken }));
      expect(second.items.map(({ metadata }) => metadata.name)).to.deep.equal(['c']);
      expect(second.resourceVersion).to.equal(first.resourceVersion);
      const abort = new AbortController();
      const recorder = await record(source, {
        resourceVersion: second.resourceVersion,
        signal: abort.signal,
      });
      await harness.create('d');
      await harness.delete('a');
      await harness.runtime.settle();
      expect(recorder.lines).to.deep.equal(['ADDED shop/d @5', 'DELETED shop/a @6']);
      abort.abort();
      await harness.runtime.settle();
      expect([recorder.ended, recorder.error]).to.deep.equal([true, undefined]);
    });
  }

  it('keeps to its namespace and selectors', async () => {
    const source = over(harness.raw, { namespace: 'shop', predicate: selecting('app=web') });
    const recorder = await record(source, { sendInitialEvents: true, allowWatchBookmarks: true });
    await harness.create('a', { labels: { app: 'web' } });
    await harness.create('b');
    await harness.create('c', { namespace: 'shop-2', labels: { app: 'web' } });
    await harness.runtime.settle();
    expect(recorder.lines).to.deep.equal(['BOOKMARK @1 end', 'ADDED shop/a @2']);
    const { items } = await harness.runtime.run(source.list({}));
    expect(items.map(({ key }: StoredObject) => key)).to.deep.equal([`${PREFIX}shop/a`]);
    expect(source.description).to.equal(`${PREFIX}shop/`);
  });

  it('ends a watch at its timeout, without an error', async () => {
    const recorder = await record(over(harness.cacher), {
      timeoutSeconds: 30,
      sendInitialEvents: true,
      allowWatchBookmarks: true,
    });
    await harness.runtime.advance(29_900);
    expect(recorder.lines).to.deep.equal(['BOOKMARK @1 end', 'BOOKMARK @1']);
    expect(recorder.ended).to.equal(false);
    await harness.runtime.advance(100);
    expect([recorder.ended, recorder.error]).to.deep.equal([true, undefined]);
    expect(harness.cacher.status.watcherCount).to.equal(0);
  });

  it('closes the watch when its reader leaves', async () => {
    const stream = await harness.runtime.run(over(harness.cacher).watch({ timeoutSeconds: 30 }));
    expect(harness.cacher.status.watcherCount).to.equal(1);
    await stream[Symbol.asyncIterator]().return?.();
    expect(harness.cacher.status.watcherCount).to.equal(0);
  });

  for (const kind of ['raw', 'cacher'] as const) {
    it(`feeds a reflector from the ${kind} storage`, async () => {
      await harness.create('a');
      const seen: string[] = [];
      const abort = new AbortController();
      const reflector = new Reflector({
        listerWatcher: over(harness[kind]),
        runtime: harness.runtime,
        sink: {
          replace: (items, version) =>
            seen.push(`replace ${items.map(({ metadata }) => metadata.name).join()} @${version}`),
          apply: (events) => seen.push(...events.map(line)),
          bookmark: () => {},
        },
      });
      const running = reflector.run({ signal: abort.signal });
      await harness.runtime.settle();
      await harness.create('b');
      await harness.delete('a');
      await harness.runtime.settle();
      abort.abort();
      await harness.runtime.run(running);
      expect(seen).to.deep.equal(['replace a @2', 'ADDED shop/b @3', 'DELETED shop/a @4']);
    });
  }
});
