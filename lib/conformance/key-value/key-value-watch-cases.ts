import assert from 'node:assert/strict';
import {
  LAST,
  put,
  refusal,
  remove,
  type KeyValueCase,
  type KeyValueUnderTest,
} from './key-value-under-test.ts';

const deliveryCases: readonly KeyValueCase[] = [
  {
    title: 'brings what is written after it began, in order',
    check: async (under) => {
      await under.put('a', '1');
      const probe = await under.watch();
      assert.equal(under.step(probe.watch.startedAt), 1);
      await under.put('b', '2');
      await under.put('a', '3');
      await under.delete('a');
      await probe.expect('put b=2@2', 'put a=3@3', 'delete a@4');
      await probe.expectSilence();
    },
  },
  {
    title: 'delivers the whole key-value of a put, and key and revision of a delete',
    check: async (under) => {
      const { id } = await under.store.leaseGrant(100);
      const probe = await under.watch();
      await under.put('a', '1');
      await under.put('a', '2', id);
      await under.delete('a');
      await probe.next();
      const changed = (await probe.event()).kv;
      assert.deepEqual(
        [changed.createRevision, changed.modRevision, changed.version, changed.lease],
        [under.at(1), under.at(2), 2n, id],
      );
      const { kv } = await probe.event();
      assert.deepEqual(
        { ...kv, value: kv.value.byteLength },
        {
          key: 'a',
          value: 0,
          createRevision: 0n,
          modRevision: under.at(3),
          version: 0n,
          lease: 0n,
        },
      );
      await under.store.leaseRevoke(id);
    },
  },
  {
    title: 'sees only its key, or its range',
    check: async (under) => {
      const single = await under.watch({ key: 'b', rangeEnd: undefined });
      const range = await under.watch({ key: 'b', rangeEnd: 'c' });
      for (const key of ['a', 'b', 'bb', 'c']) await under.put(key);
      await under.delete('', LAST);
      await single.expect('put b=@2', 'delete b@5');
      await range.expect('put b=@2', 'put bb=@3', 'delete b@5', 'delete bb@5');
      await single.expectSilence();
      await range.expectSilence();
    },
  },
  {
    title: 'brings the writes of a transaction in their order, never split over batches',
    check: async (under) => {
      await under.put('c');
      await under.put('d');
      const probe = await under.watch();
      const value = new Uint8Array(10_000).fill(120);
      const puts = Array.from({ length: 100 }, (_, index) => put(`k${99 - index}`, value));
      await under.txn([put('b'), remove('c', 'e'), put('a')]);
      await probe.expect('put b=@3', 'delete c@3', 'delete d@3', 'put a=@3');
      await under.txn(puts);
      const batch = await probe.batch();
      assert.equal(batch.length, puts.length);
      const [first] = batch;
      assert(first?.type === 'event');
      assert.equal(first.event.kv.key, 'k99');
    },
  },
  {
    title: 'brings nothing of a transaction that wrote nothing',
    check: async (under) => {
      const probe = await under.watch();
      await under.delete('a');
      await under.txn([{ type: 'range', key: 'a' }]);
      await under.put('b');
      await probe.expect('put b=@1');
    },
  },
  {
    title: 'brings the state before a change on request',
    check: async (under) => {
      const probe = await under.watch({ previous: true });
      const plain = await under.watch({ previous: false });
      await under.put('a', '1');
      await under.put('a', '2');
      await under.delete('a');
      await under.put('a', '3');
      await probe.expect('put a=1@1', 'put a=2@2 after 1@1', 'delete a@3 after 2@2', 'put a=3@4');
      await plain.expect('put a=1@1', 'put a=2@2', 'delete a@3', 'put a=3@4');
    },
  },
  {
    title: 'brings large values whole',
    check: async (under) => {
      const probe = await under.watch({ previous: true });
      const large = new Uint8Array(1_400_000).fill(7);
      await under.put('a', large);
      await under.put('a', large.fill(8));
      const { kv } = await probe.event();
      assert.equal(kv.value.byteLength, 1_400_000);
      const { previous } = await probe.event();
      assert.equal(previous?.value.byteLength, 1_400_000);
    },
  },
  {
    title: 'loses no event while it is not read, and delays no other watch',
    check: async (under) => {
      const slow = await under.watch();
      const quick = await under.watch();
      const lines = await writeMany(under, 1500);
      assert.deepEqual(await quick.take(1500), lines);
      assert.deepEqual(await slow.take(1500), lines);
    },
  },
];

/** Writes revisions 1 to `count`, 50 at a time, and returns their events. */
async function writeMany(under: KeyValueUnderTest, count: number): Promise<string[]> {
  const keys = new Map<number, string>();
  for (let from = 0; from < count; from += 50) {
    const group = Array.from({ length: Math.min(50, count - from) }, async (_, index) => {
      const key = `k${from + index}`;
      keys.set(await under.put(key), key);
    });
    await Promise.all(group);
  }
  return Array.from({ length: count }, (_, index) => `put ${keys.get(index + 1)}=@${index + 1}`);
}

const progressCases: readonly KeyValueCase[] = [
  {
    title:
      'reports progress on request after all events, or stays silent where that is not reliable',
    check: async (under) => {
      const probe = await under.watch();
      await under.put('a');
      await under.put('b');
      await probe.watch.requestProgress();
      await probe.expect('put a=@1', 'put b=@2');
      if (!under.store.supportsProgress) {
        await probe.expectSilence();
        return;
      }
      await probe.expect('progress@2');
      await under.put('c');
      await probe.watch.requestProgress();
      await probe.expect('put c=@3', 'progress@3');
    },
  },
  {
    title: 'reports progress without a change in its range, and without any write',
    check: async (under) => {
      if (!under.store.supportsProgress) return;
      const probe = await under.watch({ key: 'a', rangeEnd: undefined });
      await probe.watch.requestProgress();
      await probe.expect('progress@0');
      for (const key of ['b', 'c']) await under.put(key);
      await probe.watch.requestProgress();
      await probe.expect('progress@2');
    },
  },
  {
    title: 'reports progress when it begins at the next revision',
    check: async (under) => {
      if (!under.store.supportsProgress) return;
      await under.put('a');
      const probe = await under.watch({ startRevision: under.at(2) });
      await probe.watch.requestProgress();
      await probe.expect('progress@1');
      await under.put('b');
      await probe.watch.requestProgress();
      await probe.expect('put b=@2', 'progress@2');
    },
  },
  {
    title: 'reports no progress before it has caught up with the past',
    check: async (under) => {
      if (!under.store.supportsProgress) return;
      const lines = await writeMany(under, 1500);
      const probe = await under.watch({ startRevision: under.at(1) });
      await probe.watch.requestProgress();
      assert.deepEqual(await probe.take(1500), lines);
      await probe.expect('progress@1500');
    },
  },
];

const endCases: readonly KeyValueCase[] = [
  {
    title: 'ends when it is closed, aborted or left, and leaves other watches alone',
    check: async (under) => {
      const controller = new AbortController();
      const closed = await under.watch();
      const aborted = await under.watch({ signal: controller.signal });
      const left = await under.watch();
      const other = await under.watch();
      await under.put('a');
      await left.expect('put a=@1');
      closed.watch.destroy();
      controller.abort();
      await closed.expect('end');
      await aborted.expect('end');
      for await (const batch of (await under.watch({ startRevision: under.at(1) })).watch) {
        assert.equal(batch.length, 1);
        break;
      }
      await under.put('b');
      await other.expect('put a=@1', 'put b=@2');
    },
  },
  {
    title: 'ends at once when it was aborted before it began',
    check: async (under) => {
      const probe = await under.watch({ signal: AbortSignal.abort() });
      await under.put('a');
      await probe.expect('end');
    },
  },
  {
    title: 'ends with its store, which then refuses every call',
    check: async (under) => {
      const { store } = under;
      const probe = await under.watch();
      const reading = probe.expect('end');
      await store.close();
      await reading;
      for (const call of [
        () => store.range({ key: 'a' }),
        () => store.txn({ compare: [], success: [] }),
        () => store.watch({ key: 'a' }),
        () => store.compact(1n),
        () => store.leaseGrant(5),
        () => store.leaseRevoke(5n),
        () => store.status(),
      ]) {
        await refusal(call(), 'CLOSED');
      }
      await store.close();
    },
  },
  {
    title: 'refuses a range without a key',
    check: async (under) => {
      await refusal(under.watch({ key: '', rangeEnd: undefined }), 'INVALID_KEY');
      for (const rangeEnd of ['b', 'a', '\0', '']) {
        await refusal(under.watch({ key: 'b', rangeEnd }), 'INVALID_KEY');
      }
    },
  },
];

export const keyValueWatchCases: readonly KeyValueCase[] = [
  ...deliveryCases,
  ...progressCases,
  ...endCases,
];
