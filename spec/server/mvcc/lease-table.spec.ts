import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { LeaseTable, wholeTtlSeconds } from '../../../lib/server/mvcc/lease-table.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';

describe('a time to live in whole seconds', () => {
  it('is rounded up, and never below 0', () => {
    expect([-5, 0, 0.1, 1, 1.5].map(wholeTtlSeconds)).to.deep.equal([0, 0, 1, 1, 2]);
  });
});

describe('LeaseTable', () => {
  it('has no lease and no timer after close', async () => {
    const runtime = new VirtualRuntime();
    const expired: (readonly string[])[] = [];
    const onExpire = (keys: readonly string[]): void => {
      expired.push(keys);
    };
    const table = new LeaseTable({ runtime, minTtlSeconds: 1, onExpire });
    const { id } = table.grant(5);
    expect(table.size).to.equal(1);
    table.destroy();
    expect(table.size).to.equal(0);
    await runtime.advance(10_000);
    expect(expired).to.deep.equal([]);
    expect(() => table.check(id)).to.throw('does not exist or has expired');
  });
});

describe('leases', () => {
  let harness: EmbeddedStoreHarness;
  beforeEach(() => {
    harness = new EmbeddedStoreHarness();
  });
  afterEach(async () => {
    await harness.store.close();
  });

  it('last as long as asked, in whole seconds, and at least one', async () => {
    expect((await harness.store.leaseGrant(5)).ttlSeconds).to.equal(5);
    expect((await harness.store.leaseGrant(2.2)).ttlSeconds).to.equal(3);
    expect((await harness.store.leaseGrant(0)).ttlSeconds).to.equal(1);
    for (const ttl of [NaN, Infinity, 1e10]) {
      const error: unknown = await harness.store.leaseGrant(ttl).catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'INVALID_OPTION' });
    }
  });

  it('are lengthened to the shortest time there is', async () => {
    await harness.store.close();
    harness = new EmbeddedStoreHarness({ minLeaseTtlSeconds: 2 });
    expect((await harness.store.leaseGrant(1)).ttlSeconds).to.equal(2);
    expect((await harness.store.leaseGrant(3)).ttlSeconds).to.equal(3);
    await harness.store.close();
    harness = new EmbeddedStoreHarness({ minLeaseTtlSeconds: 1 });
    expect((await harness.store.leaseGrant(1)).ttlSeconds).to.equal(1);
    expect(() => new EmbeddedStoreHarness({ minLeaseTtlSeconds: 0 })).to.throw(
      'minLeaseTtlSeconds',
    );
  });

  it('begin with an id at random, so that a store from an old snapshot gives out none that was used', async () => {
    const other = new EmbeddedStoreHarness();
    await other.runtime.advance(1);
    other.runtime.random();
    const first = await harness.store.leaseGrant(5);
    const second = await other.store.leaseGrant(5);
    expect(first.id).to.not.equal(second.id);
    expect((await harness.store.leaseGrant(5)).id).to.equal(first.id + 1n);
    await other.store.close();
  });

  it('take all their keys with them, in key order and one revision', async () => {
    const { id } = await harness.store.leaseGrant(5);
    await harness.put('b', '', id);
    await harness.put('a', '', id);
    await harness.put('c');
    const reader = await harness.watch('');
    await harness.runtime.advance(4999);
    expect(await harness.list('')).to.have.lengthOf(3);
    await harness.runtime.advance(1);
    expect(await harness.list('')).to.deep.equal(['c=@4']);
    expect(await reader.read()).to.deep.equal(['delete a@5', 'delete b@5']);
  });

  it('let go of a key that is put without them, or deleted', async () => {
    const { id } = await harness.store.leaseGrant(5);
    await harness.put('a', '', id);
    await harness.put('b', '', id);
    await harness.put('a');
    await harness.delete('b');
    await harness.put('b');
    await harness.runtime.advance(5000);
    expect(await harness.list('')).to.deep.equal(['a=@4', 'b=@6']);
  });

  it('hand a key over to another lease', async () => {
    const first = await harness.store.leaseGrant(5);
    const second = await harness.store.leaseGrant(10);
    await harness.put('a', '', first.id);
    await harness.put('a', '', second.id);
    await harness.runtime.advance(9999);
    expect(await harness.list('')).to.have.lengthOf(1);
    await harness.runtime.advance(1);
    expect(await harness.list('')).to.have.lengthOf(0);
  });

  it('add no revision when they have no keys', async () => {
    await harness.store.leaseGrant(1);
    await harness.runtime.advance(1000);
    expect((await harness.store.status()).revision).to.equal(1n);
  });

  it('do not expire after they were revoked', async () => {
    const { id } = await harness.store.leaseGrant(5);
    await harness.put('a', '1', id);
    await harness.store.leaseRevoke(id);
    const { revision } = await harness.store.status();
    await harness.runtime.advance(10_000);
    expect((await harness.store.status()).revision).to.equal(revision);
    expect((await harness.store.leaseGrant(5)).id).not.to.equal(id);
  });

  it('can be revoked once, and used no more', async () => {
    const { id } = await harness.store.leaseGrant(5);
    await harness.put('a', '', id);
    await harness.store.leaseRevoke(id);
    expect(await harness.list('')).to.deep.equal([]);
    for (const use of [harness.store.leaseRevoke(id), harness.put('a', '', id)]) {
      const error: unknown = await use.catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'LEASE_NOT_FOUND' });
    }
  });
});
