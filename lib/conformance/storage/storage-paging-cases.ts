import assert from 'node:assert/strict';
import type { ApiError } from '../../meta/failure/api-error.ts';
import type {
  GetListOptions,
  StorageList,
} from '../../server/storage/contract/storage-interface.ts';
import { conformanceKey, conformancePredicate, type ConformancePod } from './conformance-pod.ts';
import {
  describePod,
  rejection,
  type ConformanceCase,
  type StorageUnderTest,
} from './storage-under-test.ts';

type Options = GetListOptions<ConformancePod>;
type List = StorageList<ConformancePod>;

const FIVE = ['a/1', 'a/2', 'b/1', 'b/2', 'b/3'];

async function createAll(under: StorageUnderTest, paths: readonly string[]): Promise<void> {
  for (const path of paths) await under.create(path);
}

async function page(under: StorageUnderTest, options: Options): Promise<List> {
  return await under.storage.getList(conformanceKey(''), options);
}

function names({ items }: List): string[] {
  return items.map(describePod);
}

/** All pages of a list, one after the other; `between` runs before each page except the first. */
async function readPages(
  under: StorageUnderTest,
  options: Options,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<List[]> {
  const pages = [await page(under, options)];
  for (;;) {
    const { continueToken } = pages.at(-1) as List;
    if (continueToken === undefined) return pages;
    await between();
    const { limit, predicate } = options;
    pages.push(await page(under, { limit, predicate, continueToken }));
  }
}

/** Counts the calls of engine and transformer from now on. */
function countsOf({ harness: { store, transformer } }: StorageUnderTest): () => {
  readonly ranges: number;
  readonly transforms: number;
} {
  const { ranges } = store;
  const { reads } = transformer;
  return () => ({ ranges: store.ranges - ranges, transforms: transformer.reads - reads });
}

/** Creates pods, several at a time. */
async function createMany(under: StorageUnderTest, count: number): Promise<void> {
  for (let start = 0; start < count; start += 50) {
    const some = Array.from({ length: Math.min(50, count - start) }, (_, index) => start + index);
    await Promise.all(some.map((index) => under.create(`a/${index + 1000}`)));
  }
}

function token(json: string): string {
  return Buffer.from(json).toString('base64url');
}

export const pagingCases: readonly ConformanceCase[] = [
  {
    title: 'lists page by page, with what remains, at one resource version',
    upstream: ['RunTestList', 'RunTestListContinuation'],
    check: async (under) => {
      await createAll(under, FIVE);
      const pages = await readPages(under, { limit: 2 }, () => under.writeElsewhere());
      assert.deepEqual(pages.map(names), [['a/1', 'a/2'], ['b/1', 'b/2'], ['b/3']]);
      assert.deepEqual(
        pages.map((one) => one.remainingItemCount),
        [3, 1, undefined],
      );
      assert.equal(new Set(pages.map((one) => one.resourceVersion)).size, 1);
    },
  },
  {
    title: 'hands out no token when the limit is reached by the last object',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      for (const limit of [5, 6]) {
        const whole = await page(under, { limit });
        assert.equal(whole.items.length, 5);
        assert.equal(whole.continueToken, undefined);
        assert.equal(whole.remainingItemCount, undefined);
      }
    },
  },
  {
    title: 'shows on all pages the state of the first one',
    upstream: ['RunTestListPaging'],
    check: async (under) => {
      await createAll(under, ['a/1', 'a/3', 'a/5', 'a/7']);
      let step = 0;
      const pages = await readPages(under, { limit: 1 }, async () => {
        step += 2;
        await under.create(`a/${step}`);
        await under.move('a/5', `n${step}`);
        if (step === 2) await under.delete('a/7');
      });
      assert.deepEqual(pages.flatMap(names), ['a/1', 'a/3', 'a/5', 'a/7']);
      assert.deepEqual(
        pages.map((one) => one.remainingItemCount),
        [3, 2, 1, undefined],
      );
    },
  },
  {
    title: 'pages exactly at a resource version given with a limit',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      const resourceVersion = await under.writeElsewhere();
      await under.delete('a/2');
      await under.create('a/0');
      for (const resourceVersionMatch of [undefined, 'Exact'] as const) {
        const pages = await readPages(under, { limit: 2, resourceVersion, resourceVersionMatch });
        assert.deepEqual(pages.flatMap(names), FIVE);
        assert.deepEqual(
          pages.map((one) => one.resourceVersion),
          Array(3).fill(resourceVersion),
        );
      }
    },
  },
  {
    title: 'pages a state not older than a resource version',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      const resourceVersion = await under.writeElsewhere();
      const options = { limit: 2, resourceVersion, resourceVersionMatch: 'NotOlderThan' } as const;
      const pages = await readPages(under, options);
      assert.deepEqual(pages.flatMap(names), FIVE);
      assert.equal(pages.length, 3);
    },
  },
  {
    title: 'may ignore the limit for resource version 0, and then returns all',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      await page(under, {});
      await under.whenShown(FIVE.length);
      const pages = await readPages(under, { limit: 2, resourceVersion: '0' });
      assert.deepEqual(pages.flatMap(names), FIVE);
      assert.equal(pages.length, under.harness.cached ? 1 : 3);
    },
  },
  {
    title: 'fills pages with what the selector matches, and does not guess what remains',
    upstream: ['RunTestList', 'RunTestListContinuationWithFilter'],
    check: async (under) => {
      for (let index = 0; index < 30; index += 1) {
        await under.create(`a/${index + 10}`, { labels: { third: `${index % 3 === 0}` } });
      }
      const predicate = conformancePredicate({ labels: 'third=true' });
      for (const limit of [1, 3, 4, 10, 11]) {
        const pages = await readPages(under, { limit, predicate });
        assert.equal(pages.flatMap(names).length, 10);
        for (const one of pages) assert.equal(one.remainingItemCount, undefined);
        for (const full of pages.slice(0, -1)) assert.equal(full.items.length, limit);
      }
    },
  },
  {
    title: 'loses nothing that it read beyond the limit',
    upstream: ['RunTestListContinuationWithFilter'],
    check: async (under) => {
      await createAll(under, ['a/1', 'a/2', 'a/3', 'a/4', 'a/5']);
      const predicate = conformancePredicate({ fields: 'metadata.name!=1' });
      const pages = await readPages(under, { limit: 2, predicate });
      assert.deepEqual(pages.map(names), [
        ['a/2', 'a/3'],
        ['a/4', 'a/5'],
      ]);
    },
  },
  {
    title: 'finds the one match at the end of many in a few reads, and is done',
    upstream: ['RunTestListPaginationRareObject'],
    check: async (under) => {
      await createMany(under, 1000);
      await under.create('b/1', { nodeName: 'rare' });
      await page(under, {});
      const counts = countsOf(under);
      const predicate = conformancePredicate({ fields: 'spec.nodeName=rare' });
      const list = await page(under, { limit: 1, predicate });
      assert.deepEqual(names(list), ['b/1@rare']);
      assert.equal(list.continueToken, undefined);
      const { ranges, transforms } = counts();
      // 1 + 2 + 4 + … + 512 objects.
      assert(ranges <= 10, `${ranges} reads`);
      assert(transforms <= 1001, `${transforms} objects`);
    },
  },
  {
    title: 'reads once for each page, and no object of another page',
    upstream: ['RunTestListContinuation'],
    check: async (under) => {
      await createAll(under, FIVE);
      await page(under, {});
      const { cached } = under.harness;
      const fromCache = cached && under.storage.supportsProgress;
      let continueToken: string | undefined;
      for (const [ranges, objects] of [
        [1, 2],
        [1, 2],
        [1, 1],
      ] as const) {
        const counts = countsOf(under);
        ({ continueToken } = await page(under, { limit: 2, continueToken }));
        assert.equal(counts().ranges, ranges);
        if (!cached || fromCache) assert.equal(counts().transforms, cached ? 0 : objects);
      }
      assert.equal(continueToken, undefined);
    },
  },
  {
    title: 'keeps the pages of a namespace inside it',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      const first = await under.storage.getList(conformanceKey('a'), { limit: 1 });
      assert.equal(first.remainingItemCount, 1);
      const { continueToken } = first;
      const rest = await under.storage.getList(conformanceKey('a/'), { continueToken });
      assert.deepEqual(names(rest), ['a/2']);
    },
  },
  {
    title: 'goes on with the newest state when the token says so',
    upstream: ['RunTestList', 'RunTestConsistentList'],
    check: async (under) => {
      await createAll(under, FIVE);
      await page(under, { limit: 2 });
      await under.delete('b/1');
      const resourceVersion = await under.writeElsewhere();
      const continueToken = token('{"v":"meta.k8s.io/v1","rv":-1,"start":"a/2\\u0000"}');
      const pages = [await page(under, { limit: 1, continueToken })];
      pages.push(await page(under, { continueToken: pages[0]?.continueToken }));
      assert.deepEqual(pages.flatMap(names), ['b/2', 'b/3']);
      assert.deepEqual(
        pages.map((one) => one.resourceVersion),
        [resourceVersion, resourceVersion],
      );
    },
  },
  {
    title: 'refuses tokens it did not make',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      const bad = [
        '$$$',
        token('nothing'),
        token('null'),
        token('[]'),
        token('{"v":"meta.k8s.io/v2","rv":5,"start":"a/1"}'),
        token('{"v":"meta.k8s.io/v1","rv":0,"start":"a/1"}'),
        token('{"v":"meta.k8s.io/v1","start":"a/1"}'),
        token('{"v":"meta.k8s.io/v1","rv":"5","start":"a/1"}'),
        token('{"v":"meta.k8s.io/v1","rv":5,"start":""}'),
        token('{"v":"meta.k8s.io/v1","rv":5,"start":7}'),
        token('{"v":"meta.k8s.io/v1","rv":5,"start":"../secrets/a"}'),
        token('{"v":"meta.k8s.io/v1","rv":5,"start":"a/../../secrets"}'),
        token('{"v":"meta.k8s.io/v1","rv":5,"start":"//a"}'),
        'A'.repeat(100_000),
      ];
      for (const continueToken of bad) {
        const error = await rejection(page(under, { limit: 1, continueToken }), 'BAD_REQUEST');
        assert.match(error.message, /^invalid continue token/);
      }
    },
  },
  {
    title: 'refuses a resource version next to a token, except 0',
    upstream: ['RunTestList'],
    check: async (under) => {
      await createAll(under, FIVE);
      const { continueToken, resourceVersion } = await page(under, { limit: 2 });
      await rejection(page(under, { continueToken, resourceVersion }), 'BAD_REQUEST');
      const rest = await page(under, { continueToken, resourceVersion: '0' });
      assert.deepEqual(names(rest), ['b/1', 'b/2', 'b/3']);
    },
  },
  {
    title: 'answers a token whose state was compacted with one for the newest state',
    upstream: ['RunTestListInconsistentContinuation'],
    check: async (under) => {
      await createAll(under, FIVE);
      const { continueToken, resourceVersion } = await page(under, { limit: 2 });
      await under.delete('b/1');
      await under.compact(await under.writeElsewhere());
      const error = await rejection(page(under, { limit: 1, continueToken }), 'EXPIRED');
      const next = (error as ApiError).status.metadata?.continue;
      assert(next !== undefined, 'the answer carries a token');
      const second = await page(under, { limit: 1, continueToken: next });
      assert.deepEqual(names(second), ['b/2']);
      assert(BigInt(second.resourceVersion) > BigInt(resourceVersion));
      const third = await page(under, { limit: 1, continueToken: second.continueToken });
      assert.deepEqual(names(third), ['b/3']);
      assert.equal(third.resourceVersion, second.resourceVersion);
    },
  },
];
