import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ServerIdentity } from '../../../lib/cluster/identity/server-identity.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';

const HOST = 'node-1';
/** SHA-256 of `node-1kube-apiserver`, its first 16 bytes in base32. */
const LEASE = 'apiserver-vrz2ucmiepxgn6gsufxteeg7xm';
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking';
const MINUTE_MS = 60_000;

/** A server in virtual time, and a user of it. */
class World {
  readonly runtime = new VirtualRuntime();
  readonly server = new ApiServer({ runtime: this.runtime });
  readonly client = new Client({
    transport: inProcessTransport(this.server.handler),
    runtime: this.runtime,
    logger: silentLogger,
  });
  readonly leases = this.client.resource('coordination.k8s.io/v1', 'leases', {
    namespace: 'kube-system',
  });
  readonly maps = this.client.resource('v1', 'configmaps', { namespace: 'kube-system' });

  static async run(work: (world: World) => Promise<void>): Promise<void> {
    const world = new World();
    await world.runtime.run(async () => {
      await work(world);
      await world.client.close();
      await world.server.close();
    });
  }

  identity(): ServerIdentity {
    const { handler } = this.server;
    const identity = new ServerIdentity({
      handler,
      host: HOST,
      runtime: this.runtime,
      logger: silentLogger,
    });
    identity.start();
    return identity;
  }

  async wait(delayMs: number): Promise<void> {
    await sleep(this.runtime, delayMs);
  }

  async names(resource: 'leases' | 'maps'): Promise<string[]> {
    const { items } = await this[resource].list();
    return items.map(({ metadata }) => metadata.name);
  }
}

describe('the identity of a server', () => {
  it('is a lease that is renewed every ten seconds', async () => {
    await World.run(async (world) => {
      await using _ = world.identity();
      await world.wait(1);
      const before = await world.leases.get(LEASE);
      expect(before.metadata.labels).to.deep.equal({
        'apiserver.kubernetes.io/identity': 'kube-apiserver',
        'kubernetes.io/hostname': HOST,
      });
      expect(before.metadata.managedFields?.map(({ manager }) => manager)).to.deep.equal([
        'kube-apiserver',
      ]);
      expect(before.spec?.holderIdentity).to.match(new RegExp(`^${LEASE}_[0-9a-f-]{36}$`));
      expect(before.spec).to.include({ leaseDurationSeconds: 3600 });
      await world.wait(10_400);
      const after = await world.leases.get(LEASE);
      expect(Date.parse(after.spec?.renewTime ?? '')).to.be.greaterThan(
        Date.parse(before.spec?.renewTime ?? ''),
      );
      expect(after.metadata.uid).to.equal(before.metadata.uid);
      expect(after.spec?.holderIdentity).to.equal(before.spec?.holderIdentity);
    });
  });

  it('replaces the lease of an earlier server on the machine, and ends with the server', async () => {
    await World.run(async (world) => {
      const spec = { holderIdentity: 'an earlier one' };
      const earlier = await world.leases.create({ metadata: { name: LEASE }, spec });
      const identity = world.identity();
      await world.wait(1);
      expect((await world.leases.get(LEASE)).metadata.uid).to.not.equal(earlier.metadata.uid);
      await identity[Symbol.asyncDispose]();
      expect(await world.names('leases')).to.deep.equal([]);
      expect(await world.names('maps'), 'of the cluster, and not of one server').to.include(
        TRACKING,
      );
    });
  });

  it('comes back when its lease is deleted, and renews one that others have changed', async () => {
    await World.run(async (world) => {
      await using _ = world.identity();
      await world.wait(1);
      await world.leases.delete(LEASE);
      await world.wait(21_000);
      const again = await world.leases.get(LEASE);
      await world.leases.patch(LEASE, { metadata: { labels: { more: 'x' } } });
      await world.wait(21_000);
      const { metadata, spec } = await world.leases.get(LEASE);
      expect(metadata.labels).to.include({ more: 'x', 'kubernetes.io/hostname': HOST });
      expect(spec?.renewTime).to.not.equal(again.spec?.renewTime);
    });
  });

  it('says since when the tokens of secrets are tracked', async () => {
    await World.run(async (world) => {
      await using _ = world.identity();
      await world.wait(1);
      const since = new Date(world.runtime.wallMs()).toISOString().slice(0, 10);
      expect((await world.maps.get(TRACKING)).data).to.deep.equal({ since });
      await world.maps.patch(TRACKING, { data: { since: '2024-02-30' } });
      await world.wait(11_000);
      expect((await world.maps.get(TRACKING)).data).to.deep.equal({ since });
    });
  });

  it('leaves a config map with a date as it is, and creates one at most every 30 minutes', async () => {
    await World.run(async (world) => {
      const data = { since: '2024-02-29' };
      await world.maps.create({ metadata: { name: TRACKING }, data });
      await using _ = world.identity();
      await world.wait(11_000);
      expect((await world.maps.get(TRACKING)).data).to.deep.equal(data);
      await world.maps.delete(TRACKING);
      await world.wait(11_000);
      expect(await world.names('maps')).to.include(TRACKING);
      await world.maps.delete(TRACKING);
      await world.wait(29 * MINUTE_MS);
      expect(await world.names('maps')).to.not.include(TRACKING);
      await world.wait(2 * MINUTE_MS);
      expect(await world.names('maps')).to.include(TRACKING);
    });
  });

  it('is no part of a server in a process: its revision stands still', async () => {
    await World.run(async (world) => {
      await world.server.start();
      const { revision } = await world.server.inspect();
      await world.wait(MINUTE_MS);
      expect((await world.server.inspect()).revision).to.equal(revision);
      expect(await world.names('leases')).to.deep.equal([]);
    });
  });
});
