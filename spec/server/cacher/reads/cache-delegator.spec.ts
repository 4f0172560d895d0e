import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { isTooLargeResourceVersion } from '../../../../lib/meta/failure/failures.ts';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type {
  GetListOptions,
  StorageInterface,
  StorageList,
} from '../../../../lib/server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../../../lib/server/storage/contract/stored-object.ts';
import {
  CacherHarness,
  overriding,
  pod,
  podKey,
  PREFIX,
  selecting,
  watcherOf,
  type Pod,
} from '../cacher-harness.ts';

const WEB = { labels: { app: 'web' } };
const EXACT = { resourceVersionMatch: 'Exact' } as const;
const NOT_OLDER = { resourceVersionMatch: 'NotOlderThan' } as const;

const caught = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as ApiError,
  );

describe('CacheDelegator', () => {
  let harness: CacherHarness;
  /** Calls that reached the raw storage, in words. */
  let calls: string[];

  /** A cacher over a storage whose reads are written down; filled with pods a, b and c of shop, at versions 2, 3 and 4. */
  async function setUp(
    overrides: Partial<StorageInterface<Pod>> = {},
    options: object = {},
  ): Promise<void> {
    calls = [];
    const spy = (raw: StorageInterface<Pod>): StorageInterface<Pod> => {
      const base = overriding(raw, overrides);
      return overriding(base, {
        get: (key, asked) => {
          calls.push(`get ${key}`);
          return base.get(key, asked);
        },
        getList: (key, asked) => {
          // Under the bare prefix nothing is stored: it only asks whether that version can be read yet.
          if (asked?.recursive !== false || key !== PREFIX) calls.push(`list ${key}`);
          return base.getList(key, asked);
        },
        delete: (key, asked) => {
          calls.push(`delete, suggested ${asked?.cachedExisting?.resourceVersion}`);
          return base.delete(key, asked);
        },
        guaranteedUpdate: (key, tryUpdate, asked) => {
          calls.push(`update, suggested ${asked?.cachedExisting?.resourceVersion}`);
          return base.guaranteedUpdate(key, tryUpdate, asked);
        },
      });
    };
    harness = new CacherHarness(options, spy);
    await harness.create('a', WEB);
    await harness.create('b');
    await harness.create('c', WEB);
  }
  async function setUpReady(...args: Parameters<typeof setUp>): Promise<void> {
    await setUp(...args);
    await harness.runtime.run(harness.cacher.readinessCheck());
    calls.length = 0;
  }
  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  const list = async (
    options: GetListOptions<Pod> = {},
    key: string = PREFIX,
  ): Promise<StorageList<Pod>> => await harness.runtime.run(harness.cacher.getList(key, options));
  const names = ({ items }: StorageList<Pod>): string =>
    items.map(({ key }) => key.split('/').at(-1)).join('');
  const get = async (name: string, options: object = {}): Promise<StoredObject<Pod> | undefined> =>
    await harness.runtime.run(harness.cacher.get(podKey(name), options));

  describe('get', () => {
    it('reads the most recent state from the storage', async () => {
      await setUpReady();
      expect((await get('a'))?.resourceVersion).to.equal('2');
      expect(calls).to.deep.equal([`get ${podKey('a')}`]);
    });

    it('answers version 0 and N from the cache, with the same object for all readers', async () => {
      await setUpReady();
      const first = await get('b', { resourceVersion: '0' });
      expect(first?.resourceVersion).to.equal('3');
      expect(await get('b', { resourceVersion: '4' })).to.equal(first);
      expect(calls).to.deep.equal([]);
    });

    it('waits for a version the cache is about to reach', async () => {
      await setUpReady();
      const version = await harness.update('a', { labels: { app: 'db' } });
      expect((await get('a', { resourceVersion: version }))?.resourceVersion).to.equal(version);
      await harness.writeElsewhere();
      // Nothing of this resource happens: only a progress request brings a newer revision.
      expect((await get('b', { resourceVersion: '6' }))?.resourceVersion).to.equal('3');
      expect(harness.runtime.monotonicMs()).to.equal(0);
      expect(calls).to.deep.equal([]);
    });

    it('gives 504 for a version that is not reached within 3 seconds', async () => {
      await setUpReady();
      const error = await harness.runtime.run(
        caught(harness.cacher.get(podKey('a'), { resourceVersion: '99' })),
      );
      expect(isTooLargeResourceVersion(error)).to.equal(true);
      expect(harness.runtime.monotonicMs()).to.equal(3000);
    });

    it('says that an object is missing as the storage does', async () => {
      await setUpReady();
      const fromCache = await caught(harness.cacher.get(podKey('x'), { resourceVersion: '0' }));
      const fromStorage = await caught(harness.cacher.get(podKey('x')));
      expect([fromCache.code, fromCache.message]).to.deep.equal([
        fromStorage.code,
        fromStorage.message,
      ]);
      expect(await get('x', { resourceVersion: '0', ignoreNotFound: true })).to.equal(undefined);
    });

    it('refuses a bad version and a bad key', async () => {
      await setUpReady();
      expect(
        (await caught(harness.cacher.get(podKey('a'), { resourceVersion: 'x' }))).httpStatus,
      ).to.equal(500);
      expect(
        (await caught(harness.cacher.get('/elsewhere/a', { resourceVersion: '0' }))).code,
      ).to.equal('INVALID_KEY');
    });

    it('goes to the storage while the cache is not ready', async () => {
      await setUp();
      expect((await get('a', { resourceVersion: '0' }))?.resourceVersion).to.equal('2');
      expect(calls).to.include(`get ${podKey('a')}`);
    });
  });

  describe('list of the most recent state', () => {
    it('comes from the cache and shows every write before it, also to other resources', async () => {
      await setUpReady();
      for (let round = 0; round < 5; round += 1) {
        await harness.create(`d${round}`);
        await harness.writeElsewhere();
        const { items, resourceVersion } = await list();
        expect([items.length, resourceVersion]).to.deep.equal([4 + round, String(6 + 2 * round)]);
      }
      expect(harness.runtime.monotonicMs()).to.equal(0);
      expect(calls).to.deep.equal([]);
    });

    it('comes from the storage when the cache does not get there within 3 seconds', async () => {
      await setUpReady({ requestWatchProgress: () => Promise.resolve() });
      await harness.writeElsewhere();
      expect((await list()).resourceVersion).to.equal('5');
      expect(harness.runtime.monotonicMs()).to.equal(3000);
      expect(calls).to.deep.equal([`list ${PREFIX}`]);
    });

    it('comes from the storage where that is configured', async () => {
      await setUpReady({}, { consistentListFromCache: false });
      expect(names(await list())).to.equal('abc');
      expect(calls).to.deep.equal([`list ${PREFIX}`]);
    });

    it('keeps to scope and selector', async () => {
      await setUpReady();
      await harness.create('a', { namespace: 'shop-2' });
      expect(names(await list({}, `${PREFIX}shop`))).to.equal('abc');
      expect(names(await list({ predicate: selecting('app=web') }))).to.equal('ac');
      expect(names(await list({ predicate: selecting('', 'metadata.name=a') }))).to.equal('aa');
      expect(names(await list({ recursive: false }, podKey('b')))).to.equal('b');
      expect(names(await list({ recursive: false }, podKey('x')))).to.equal('');
      expect(calls).to.deep.equal([]);
    });
  });

  describe('list of a given version', () => {
    it('comes from the cache at version 0, complete despite the limit', async () => {
      await setUpReady();
      const { continueToken, ...all } = await list({ resourceVersion: '0', limit: 1 });
      expect([names(all), all.resourceVersion, continueToken]).to.deep.equal([
        'abc',
        '4',
        undefined,
      ]);
      expect(calls).to.deep.equal([]);
    });

    it('comes from the cache once it is not older than asked', async () => {
      await setUpReady();
      const version = await harness.create('d');
      const answer = await list({ resourceVersion: version });
      expect([names(answer), answer.resourceVersion]).to.deep.equal(['abcd', version]);
      const error = await harness.runtime.run(
        caught(harness.cacher.getList(PREFIX, { resourceVersion: '99' })),
      );
      expect(isTooLargeResourceVersion(error)).to.equal(true);
      expect(calls).to.deep.equal([]);
    });

    it('shows exactly the state of every version since the cache was filled, from the cache', async () => {
      await setUpReady();
      await harness.delete('a');
      await harness.create('d');
      await harness.update('b', WEB);
      await list();
      const at = async (resourceVersion: string): Promise<string> => {
        const answer = await list({ resourceVersion, ...EXACT });
        expect(answer.resourceVersion).to.equal(resourceVersion);
        return names(answer);
      };
      expect([await at('4'), await at('5'), await at('6'), await at('7')]).to.deep.equal([
        'abc',
        'bc',
        'bcd',
        'bcd',
      ]);
      expect(calls).to.deep.equal([]);
      expect([await at('1'), await at('2'), await at('3')]).to.deep.equal(['', 'a', 'ab']);
      expect(calls).to.have.length(3);
    });

    it('is refused with 410 for what the storage has compacted away, even where the cache still knows it', async () => {
      await setUpReady();
      await harness.create('d');
      await list();
      await harness.store.compact(5n);
      const error = await harness.runtime.run(
        caught(harness.cacher.getList(PREFIX, { resourceVersion: '4', ...EXACT })),
      );
      expect(error.httpStatus).to.equal(410);
    });

    it('is refused by the storage where the request is wrong', async () => {
      await setUpReady();
      for (const wrong of [
        NOT_OLDER,
        { resourceVersion: '0', ...EXACT },
        { continueToken: 'x' },
        { resourceVersion: '-1' },
      ]) {
        const error = await harness.runtime.run(caught(harness.cacher.getList(PREFIX, wrong)));
        expect(error.httpStatus).to.equal(400);
      }
    });
  });

  describe('pages', () => {
    it('show one state from first to last, while others write', async () => {
      await setUpReady();
      const first = await list({ limit: 1 });
      expect([names(first), first.remainingItemCount, first.resourceVersion]).to.deep.equal([
        'a',
        2,
        '4',
      ]);
      await harness.delete('b');
      await harness.create('bb');
      const second = await list({ limit: 1, continueToken: first.continueToken });
      expect([names(second), second.remainingItemCount, second.resourceVersion]).to.deep.equal([
        'b',
        1,
        '4',
      ]);
      const third = await list({ limit: 1, continueToken: second.continueToken });
      expect([names(third), third.remainingItemCount, third.continueToken]).to.deep.equal([
        'c',
        undefined,
        undefined,
      ]);
      expect(third.resourceVersion).to.equal('4');
      expect(calls).to.deep.equal([]);
    });

    it('of a version not older than N carry the version of the cache', async () => {
      await setUpReady();
      const first = await list({ limit: 2, resourceVersion: '2', ...NOT_OLDER });
      expect([names(first), first.resourceVersion, first.remainingItemCount]).to.deep.equal([
        'ab',
        '4',
        1,
      ]);
      expect(names(await list({ continueToken: first.continueToken }))).to.equal('c');
      expect(calls).to.deep.equal([]);
    });

    it('do not count what remains behind a selector, and offer no page behind the end', async () => {
      await setUpReady();
      const predicate = selecting('app=web');
      const first = await list({ limit: 1, predicate });
      expect([names(first), first.remainingItemCount]).to.deep.equal(['a', undefined]);
      const second = await list({ limit: 1, predicate, continueToken: first.continueToken });
      expect([names(second), second.continueToken]).to.deep.equal(['c', undefined]);
    });

    it('agree with those of the storage, page by page', async () => {
      await setUpReady();
      for (let index = 0; index < 20; index += 1)
        await harness.create(`p${index}`, index % 3 === 0 ? WEB : {});
      for (const predicate of [undefined, selecting('app=web'), selecting('app=none')]) {
        for (const limit of [1, 2, 5, 23, 50]) {
          let asked: GetListOptions<Pod> = { limit, predicate };
          for (;;) {
            const [cached, raw] = [await list(asked), await harness.raw.getList(PREFIX, asked)];
            const shape = ({ items, ...rest }: StorageList<Pod>): object => ({
              ...rest,
              keys: items.map(({ key }) => key),
            });
            expect(shape(cached)).to.deep.equal(shape(raw));
            if (cached.continueToken === undefined) break;
            asked = { ...asked, continueToken: cached.continueToken };
          }
        }
      }
    });

    it('continue at the newest state with a token for it', async () => {
      await setUpReady();
      const first = await list({ limit: 1 });
      await harness.delete('b');
      await harness.store.compact(5n);
      const error = await harness.runtime.run(
        caught(harness.cacher.getList(PREFIX, { limit: 1, continueToken: first.continueToken })),
      );
      expect(error.httpStatus).to.equal(410);
      const continueToken = error.status.metadata.continue;
      const next = await list({ limit: 1, continueToken });
      expect([names(next), next.resourceVersion]).to.deep.equal(['c', '5']);
    });
  });

  describe('while the cache is not ready', () => {
    it('lets an unfiltered list with a limit through to the storage', async () => {
      let lists = 0;
      await setUp();
      await harness.stop();
      await setUp({
        getList: (key, options) => {
          // The list that should fill the cache hangs.
          if (options?.limit === 2) return harness.raw.getList(key, options);
          lists += 1;
          return new Promise(() => {});
        },
      });
      harness.cacher.start();
      expect(names(await list({ limit: 2 }))).to.equal('ab');
      expect(harness.runtime.monotonicMs()).to.equal(0);
      const filtered = harness.cacher.getList(PREFIX, {
        limit: 2,
        predicate: selecting('app=web'),
      });
      expect((await harness.runtime.run(caught(filtered))).httpStatus).to.equal(429);
      expect(lists).to.be.greaterThan(0);
    });
  });

  describe('writes', () => {
    it('carry what the cache knows as a suggestion', async () => {
      await setUpReady();
      const updated = await harness.cacher.guaranteedUpdate(podKey('a'), ({ existing }) => ({
        object: { ...existing, ...pod('a', { node: 'n1' }), metadata: { ...existing?.metadata } },
      }));
      expect(updated.object.spec?.nodeName).to.equal('n1');
      await harness.runtime.settle();
      const deleted = await harness.cacher.delete(podKey('a'));
      expect(deleted.resourceVersion).to.equal('6');
      expect(calls).to.deep.equal(['update, suggested 2', 'delete, suggested 5']);
    });

    it('begin with the state that the caller has, unless the cache has a newer one', async () => {
      await setUpReady();
      const a = await harness.cacher.get(podKey('a'));
      const seen: unknown[] = [];
      const update = (cachedExisting: typeof a): Promise<unknown> =>
        harness.cacher.guaranteedUpdate(
          podKey('a'),
          ({ stored }) => {
            seen.push(stored === cachedExisting);
            return { object: { ...pod('a', { node: `n${seen.length}` }) } };
          },
          { cachedExisting },
        );
      await update(a);
      await harness.runtime.settle();
      await update(a);
      expect(seen).to.deep.equal([true, false]);
      expect(calls.slice(1)).to.deep.equal(['update, suggested 2', 'update, suggested 5']);
    });

    it('succeed with a suggestion that is out of date', async () => {
      // A watch that carries nothing keeps the cache where it was filled.
      await setUpReady({
        watch: () => Promise.resolve(watcherOf({ runtime: new VirtualRuntime() })),
      });
      await harness.update('a', { node: 'n1' });
      await harness.update('b', { node: 'n1' });
      const updated = await harness.cacher.guaranteedUpdate(podKey('a'), ({ existing }) => ({
        object: {
          ...existing,
          ...pod('a', { node: `${existing?.spec?.nodeName}!` }),
          metadata: { ...existing?.metadata },
        },
      }));
      expect(updated.object.spec?.nodeName).to.equal('n1!');
      expect((await harness.cacher.delete(podKey('b'))).object.spec?.nodeName).to.equal('n1');
      expect(calls).to.deep.equal(['update, suggested 2', 'delete, suggested 3']);
    });

    it('work without a suggestion', async () => {
      await setUp();
      await harness.cacher.delete(podKey('a'));
      expect((await caught(harness.cacher.delete(podKey('a')))).code).to.equal('KEY_NOT_FOUND');
      expect(calls[0]).to.equal('delete, suggested undefined');
    });
  });

  it('passes everything else on', async () => {
    await setUpReady();
    expect(await harness.cacher.stats()).to.deep.equal({ objectCount: 3 });
    expect(await harness.cacher.getCurrentResourceVersion()).to.equal('4');
    expect(await harness.cacher.compactRevision()).to.equal(undefined);
    await harness.cacher.requestWatchProgress();
    expect((await harness.cacher.create(podKey('n'), pod('n'))).resourceVersion).to.equal('5');
  });
});
