import { expect } from 'chai';
import { Cluster, startCluster } from '../../lib/cluster/cluster.ts';
import type { ControllerSelection } from '../../lib/cluster/cluster-controller-names.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { caught, missing, ownedBy, VirtualClusterWorld } from './support/virtual-cluster-world.ts';

describe('a cluster', () => {
  it('deletes what an object owned, soon after the object', async () => {
    await VirtualClusterWorld.run(async (world) => {
      const owner = await world.map('owner');
      await world.map('owned', [ownedBy(owner)]);
      await world.maps().delete('owner');
      await world.untilGone('owned');
      expect(world.runtime.monotonicMs()).to.be.below(10_000);
    });
  });

  it('deletes nothing with the controllers none, and is an ApiServer then', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const owner = await world.map('owner');
        await world.map('owned', [ownedBy(owner)]);
        await world.maps().delete('owner');
        await world.sleep(600_000);
        expect(await world.names()).to.deep.equal(['owned']);
        const accounts = world.client.resource('v1', 'serviceaccounts', { namespace: 'default' });
        expect((await accounts.list()).items).to.deep.equal([]);
        expect(world.cluster.inspect().controllers).to.deep.equal([]);
      },
      { controllers: 'none' },
    );
  });

  it('runs only the controllers that are named', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const accounts = world.client.resource('v1', 'serviceaccounts', { namespace: 'default' });
        await world.until(
          'there is an account',
          async () => !(await missing(accounts.get('default'))),
        );
        const owner = await world.map('owner');
        await world.map('owned', [ownedBy(owner)]);
        await world.maps().delete('owner');
        await world.sleep(60_000);
        expect(await world.names()).to.deep.equal(['owned']);
      },
      { controllers: ['service-account'] },
    );
  });

  it('says which controllers there are when an unknown one is asked for', async () => {
    const controllers = ['garbage-colector', 'namespace'] as unknown as ControllerSelection;
    const error = await caught(startCluster({ controllers }));
    expect(error).to.include({ code: 'INVALID_OPTION' });
    expect((error as Error).message).to.equal(
      'controllers has "garbage-colector": use all, workloads, none, or a list of names such as garbage-collector; CLUSTER_CONTROLLERS of listwatch/cluster has them all',
    );
    const unknown = { serviceAccountAdmission: true } as object;
    expect(() => new Cluster(unknown)).to.throw(/serviceAccountAdmission/);
  });

  it('closes twice, and while it starts', async () => {
    const cluster = await startCluster();
    await cluster.close();
    await cluster.close();
    const other = new Cluster({});
    const starting = other.start();
    await other.close();
    await Promise.allSettled([starting]);
  });

  it('calculates the usage of quotas again every five minutes', async () => {
    await VirtualClusterWorld.run(async (world) => {
      const { client } = world;
      const quotas = client.resource('v1', 'resourcequotas', { namespace: 'default' });
      const metadata = { name: 'one' };
      const spec = { hard: { 'count/secrets': '5' } };
      await quotas.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
      const usedIs = async (used: string): Promise<boolean> => {
        const { status } = (await quotas.get('one')) as { readonly status?: unknown };
        return JSON.stringify(status).includes(`"used":{"count/secrets":"${used}"}`);
      };
      await world.until('it is calculated', () => usedIs('0'));
      const status = { used: { 'count/secrets': '4' } };
      await quotas.patch('one', { status }, { type: 'merge', subresource: 'status' });
      const writtenAtMs = world.runtime.monotonicMs();
      await world.until('it is corrected', () => usedIs('0'));
      expect(world.runtime.monotonicMs() - writtenAtMs).to.be.within(200_000, 310_000);
      expect(world.cluster.inspect().quotas).to.deep.equal({ quotas: 1, waiting: 0 });
    });
  });

  it('goes on with what was left when it is started again over the same objects', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const owner = await world.map('owner', [], { finalizers: ['example.com/hold'] });
        await world.map('owned', [ownedBy(owner, { blockOwnerDeletion: true })]);
        await world.maps().delete('owner', { propagationPolicy: 'Foreground' });
        const snapshot = await world.cluster.server.snapshot();
        await using next = await startCluster({ runtime: world.runtime });
        await next.server.restore(snapshot);
        const transport = inProcessTransport(next.server.handler);
        await using client = new Client({ transport, runtime: world.runtime });
        const maps = client.resource('v1', 'configmaps', {
          namespace: 'default',
        });
        await world.until('owned is gone', () => missing(maps.get('owned')));
        await world.until('the finalizer is gone', async () => {
          const { metadata } = await maps.get('owner');
          return JSON.stringify(metadata.finalizers) === '["example.com/hold"]';
        });
      },
      { controllers: 'none' },
    );
  });
});
