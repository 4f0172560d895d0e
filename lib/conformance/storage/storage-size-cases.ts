import assert from 'node:assert/strict';
import { prefixEnd } from '../../server/mvcc/contract/key-value-store.ts';
import { CONFORMANCE_PREFIX } from './conformance-pod.ts';
import { rejection, type ConformanceCase, type StorageUnderTest } from './storage-under-test.ts';

/** Size of the values in the engine. */
async function storedBytes({ harness }: StorageUnderTest): Promise<number> {
  const range = { key: CONFORMANCE_PREFIX, rangeEnd: prefixEnd(CONFORMANCE_PREFIX) };
  const { items } = await harness.store.range(range);
  return items.reduce((sum, { value }) => sum + value.byteLength, 0);
}

async function checkStats(under: StorageUnderTest, objectCount: number): Promise<void> {
  await under.storage.getList(CONFORMANCE_PREFIX);
  const total = await storedBytes(under);
  const average = objectCount === 0 ? 0 : total / objectCount;
  assert.deepEqual(await under.storage.stats(), {
    objectCount,
    averageSizeBytes: Math.round(average),
    totalSizeBytes: total,
  });
}

export const sizeCases: readonly ConformanceCase[] = [
  {
    title: 'counts its objects, and none outside its prefix',
    upstream: ['RunTestStats'],
    check: async (under) => {
      for (const path of ['a/x', 'a/y', 'b/x']) await under.create(path);
      await under.writeElsewhere();
      await under.delete('a/y');
      assert.deepEqual(await under.storage.stats(), { objectCount: 2 });
    },
  },
  {
    title: 'reports the sizes of its objects in the engine, once that is enabled',
    upstream: ['RunTestStats'],
    check: async (under) => {
      under.storage.enableResourceSizeEstimation();
      await checkStats(under, 0);
      await under.create('a/x');
      await checkStats(under, 1);
      await under.create('a/y', { labels: { long: 'y'.repeat(60) } });
      await checkStats(under, 2);
      await under.move('a/y', 'a-node-with-a-long-name');
      await checkStats(under, 2);
      await under.delete('a/x');
      await checkStats(under, 1);
      await rejection(under.delete('a/x'), 'KEY_NOT_FOUND');
      await checkStats(under, 1);
      await under.delete('a/y');
      await checkStats(under, 0);
    },
  },
  {
    title: 'records the sizes of objects that others write and delete',
    upstream: [],
    check: async (under) => {
      under.storage.enableResourceSizeEstimation();
      await under.create('a/x');
      const key = `${CONFORMANCE_PREFIX}a/y`;
      const { store, transformer } = under.harness;
      const text = `{"kind":"Pod","metadata":{"namespace":"a","name":"y"},"pad":"${'y'.repeat(99)}"}`;
      const value = transformer.toStorage(Buffer.from(text), { key });
      await store.txn({ compare: [], success: [{ type: 'put', key, value }] });
      // A raw storage only notices it at the next read.
      await under.storage.get(key);
      await checkStats(under, 2);
      await store.txn({ compare: [], success: [{ type: 'delete', key }] });
      await checkStats(under, 1);
    },
  },
];
