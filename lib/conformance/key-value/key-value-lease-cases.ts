import assert from 'node:assert/strict';
import { sleep } from '../../kernel/time/wait.ts';
import { refusal, type KeyValueCase, type KeyValueUnderTest } from './key-value-under-test.ts';

/** How much later than requested a lease may end, milliseconds: etcd checks for expired leases twice a second. */
const LATE_MS = 10_000;

async function whenGone(under: KeyValueUnderTest, key: string, ttlSeconds: number): Promise<void> {
  const deadlineMs = under.runtime.monotonicMs() + ttlSeconds * 1000 + LATE_MS;
  while ((await under.get(key)) !== undefined) {
    assert(under.runtime.monotonicMs() < deadlineMs, 'the lease should have ended');
    await sleep(under.runtime, 50);
  }
}

export const keyValueLeaseCases: readonly KeyValueCase[] = [
  {
    title: 'lasts at least as long as requested, in whole seconds, and has its own id',
    check: async (under) => {
      const ids = new Set<bigint>();
      const asked = [5, 2.2, 100, 1, 0, -5];
      for (const seconds of asked) {
        const { id, ttlSeconds } = await under.store.leaseGrant(seconds);
        assert(id > 0n);
        assert(Number.isInteger(ttlSeconds) && ttlSeconds >= Math.max(1, seconds));
        if (seconds >= 5) assert.equal(ttlSeconds, seconds);
        ids.add(id);
      }
      assert.equal(ids.size, asked.length);
      for (const id of ids) await under.store.leaseRevoke(id);
      assert.equal((await under.status()).revision, 0);
    },
  },
  {
    title: 'cannot last for ever',
    check: async (under) => {
      for (const seconds of [9_000_000_001, Infinity, NaN]) {
        await refusal(under.store.leaseGrant(seconds), 'INVALID_OPTION');
      }
      const { id, ttlSeconds } = await under.store.leaseGrant(9_000_000_000);
      assert.equal(ttlSeconds, 9_000_000_000);
      await under.store.leaseRevoke(id);
    },
  },
  {
    title: 'deletes its keys when it expires, in key order and one revision, not before',
    check: async (under) => {
      const startedMs = under.runtime.monotonicMs();
      const { id, ttlSeconds } = await under.store.leaseGrant(1);
      await under.put('b', '', id);
      await under.put('a', '', id);
      await under.put('c');
      const probe = await under.watch({ startRevision: under.at(4), previous: true });
      assert.equal((await under.get('a'))?.lease, id);
      await whenGone(under, 'a', ttlSeconds);
      assert(under.runtime.monotonicMs() - startedMs >= ttlSeconds * 1000 - 1);
      assert.deepEqual(await under.list(), ['c=@3']);
      await probe.expect('delete a@4 after @2', 'delete b@4 after @1');
      await refusal(under.put('a', '', id), 'LEASE_NOT_FOUND');
      await refusal(under.store.leaseRevoke(id), 'LEASE_NOT_FOUND');
    },
  },
  {
    title: 'deletes its keys when it is revoked, in key order and one revision',
    check: async (under) => {
      const { id } = await under.store.leaseGrant(100);
      for (const key of ['c', 'a', 'b']) await under.put(key, '', id);
      await under.put('d');
      const probe = await under.watch();
      await under.store.leaseRevoke(id);
      assert.deepEqual(await under.list(), ['d=@4']);
      assert.equal((await under.status()).revision, 5);
      await probe.expect('delete a@5', 'delete b@5', 'delete c@5');
    },
  },
  {
    title: 'adds no revision when it has no keys',
    check: async (under) => {
      const { id } = await under.store.leaseGrant(100);
      await under.store.leaseRevoke(id);
      assert.equal((await under.status()).revision, 0);
    },
  },
  {
    title: 'is detached from a key that is put without it, deleted, or attached to another lease',
    check: async (under) => {
      const first = await under.store.leaseGrant(100);
      const second = await under.store.leaseGrant(100);
      for (const key of ['a', 'b', 'c']) await under.put(key, '', first.id);
      await under.put('a');
      await under.delete('b');
      await under.put('b');
      await under.put('c', '', second.id);
      assert.equal((await under.get('a'))?.lease, 0n);
      await under.store.leaseRevoke(first.id);
      assert.deepEqual(await under.list(), ['a=@4', 'b=@6', 'c=@7']);
      await under.store.leaseRevoke(second.id);
      assert.deepEqual(await under.list(), ['a=@4', 'b=@6']);
    },
  },
  {
    title: 'can be used only while it exists',
    check: async (under) => {
      const { id } = await under.store.leaseGrant(100);
      await under.put('a', '', id);
      await under.store.leaseRevoke(id);
      await refusal(under.store.leaseRevoke(id), 'LEASE_NOT_FOUND');
      await refusal(under.put('b', '', id), 'LEASE_NOT_FOUND');
      assert.deepEqual(await under.list(), []);
    },
  },
];
