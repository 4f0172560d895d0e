import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { LeaseManager } from '../../../../lib/server/storage/writes/lease-manager.ts';

describe('LeaseManager', () => {
  let runtime: VirtualRuntime;
  let store: EmbeddedKeyValueStore;
  let leases: LeaseManager;
  beforeEach(() => {
    runtime = new VirtualRuntime();
    store = new EmbeddedKeyValueStore({ runtime });
    leases = new LeaseManager(store, runtime);
  });
  afterEach(async () => {
    await store.close();
  });

  it('needs no lease for no time', async () => {
    expect(await leases.leaseFor(undefined)).to.equal(0n);
    expect(await leases.leaseFor(0)).to.equal(0n);
  });

  it('shares a lease for a twentieth of its time, at most a minute', async () => {
    for (const [ttlSeconds, sharedSeconds] of [
      [3600, 60],
      [100, 5],
    ] as const) {
      const first = await leases.leaseFor(ttlSeconds);
      await runtime.advance(sharedSeconds * 1000);
      expect(await leases.leaseFor(ttlSeconds)).to.equal(first);
      await runtime.advance(1);
      expect(await leases.leaseFor(ttlSeconds)).to.not.equal(first);
    }
  });

  it('does not share a lease of another length', async () => {
    const long = await leases.leaseFor(3600);
    const short = await leases.leaseFor(100);
    expect(short).to.not.equal(long);
    expect(await leases.leaseFor(3600)).to.not.equal(short);
  });

  it('shares a lease among 1000 keys', async () => {
    const first = await leases.leaseFor(3600);
    for (let key = 1; key < 1000; key += 1) expect(await leases.leaseFor(3600)).to.equal(first);
    expect(await leases.leaseFor(3600)).to.not.equal(first);
  });
});
