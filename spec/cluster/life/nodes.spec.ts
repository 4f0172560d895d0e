import { expect } from 'chai';
import type { Lease } from '../../../lib/types/built-in/coordination-v1-kinds.ts';
import type { Node } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { missing } from '../support/virtual-cluster-world.ts';
import { LifeWorld } from './life-world.ts';

async function lease(world: LifeWorld, name: string): Promise<Lease> {
  const options = { namespace: 'kube-node-lease' };
  return await world.client.resource<Lease>('coordination.k8s.io/v1', 'leases', options).get(name);
}

describe('the nodes of a cluster', () => {
  it('register as healthy nodes', async () => {
    const nodes = [
      { name: 'big', labels: { zone: 'a' }, capacity: { cpu: 2, 'example.com/gpu': 1 } },
    ];
    await LifeWorld.run({ nodes }, async (world) => {
      const { metadata, spec, status } = await world.node('big');
      expect(metadata).to.have.nested.property('labels.zone', 'a');
      expect(metadata)
        .to.have.property('labels')
        .that.includes({ 'kubernetes.io/hostname': 'big' });
      expect(spec?.taints ?? []).to.deep.equal([]);
      expect(spec?.podCIDR).to.equal('10.244.0.0/24');
      expect(status?.allocatable).to.deep.equal({
        cpu: '2',
        memory: '32Gi',
        'ephemeral-storage': '100Gi',
        pods: '110',
        'example.com/gpu': '1',
      });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).to.include({ status: 'True', reason: 'KubeletReady' });
      expect(status?.nodeInfo?.kubeletVersion).to.match(/^v1\.\d+/);
    });
  });

  it('have ranges of addresses of their own', async () => {
    await LifeWorld.run({ nodes: 3 }, async (world) => {
      const { items } = await world.client.resource('v1', 'nodes').list();
      const ranges = items.map(({ spec }) => spec?.podCIDR);
      expect(ranges).to.deep.equal(['10.244.0.0/24', '10.244.1.0/24', '10.244.2.0/24']);
    });
  });

  it('write nothing while nothing happens', async () => {
    await LifeWorld.run({ nodes: 50 }, async (world) => {
      const before = (await lease(world, 'node-7')).metadata?.resourceVersion;
      await world.world.sleep(3_000_000);
      const after = await lease(world, 'node-7');
      expect(after.metadata?.resourceVersion).to.equal(before);
      expect(after.spec?.leaseDurationSeconds).to.equal(2_147_483_647);
    });
  });

  it('renew their leases every 10 s if asked', async () => {
    await LifeWorld.run({ heartbeats: 'periodic' }, async (world) => {
      await world.world.sleep(600_000);
      const { spec } = await lease(world, 'node-1');
      expect(spec?.leaseDurationSeconds).to.equal(40);
      expect(world.nowMs - Date.parse(spec?.renewTime ?? '')).to.be.lessThan(11_000);
    });
  });

  it('leave their pods as they are once they have failed, and go on when they recover', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await world.life.fail('node-1');
      await world.create('late');
      await world.pods.delete('web');
      await world.world.sleep(1_800_000);
      expect((await world.pod('web')).status?.phase).to.equal('Running');
      expect((await world.pod('late')).status?.startTime).to.equal(undefined);
      const { spec } = await lease(world, 'node-1');
      expect(spec?.leaseDurationSeconds).to.equal(40);
      expect(world.nowMs - Date.parse(spec?.renewTime ?? '')).to.be.within(1_800_000, 1_810_000);
      world.life.recover('node-1');
      await world.untilReady('late');
      await world.untilGone('web');
      expect((await lease(world, 'node-1')).spec?.leaseDurationSeconds).to.equal(2_147_483_647);
    });
  });

  it('are ready again after a failure that somebody has noted in their objects', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await world.life.fail('node-1');
      const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
      const options = { type: 'strategic', subresource: 'status' } as const;
      await world.client
        .resource('v1', 'nodes')
        .patch('node-1', { status: { conditions } }, options);
      await world.pods.patch(
        'web',
        { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
        options,
      );
      await world.world.sleep(60_000);
      world.life.recover('node-1');
      await world.untilReady('web');
      await world.world.until('the node is ready', async () => {
        const { status } = await world.node('node-1');
        return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
      });
    });
  });

  it('say again that they are ready when somebody has written that they are not', async () => {
    await LifeWorld.run({}, async (world) => {
      const conditions = [{ type: 'Ready', status: 'False', reason: 'Mine' }];
      const options = { type: 'strategic', subresource: 'status' } as const;
      await world.client
        .resource('v1', 'nodes')
        .patch('node-1', { status: { conditions } }, options);
      await world.world.sleep(1000);
      const { status } = await world.node('node-1');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).to.include({ status: 'True', reason: 'KubeletReady' });
    });
  });

  it('are not registered again when somebody deletes them, and leave their pods to the collector', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await world.client.resource('v1', 'nodes').delete('node-1');
      await world.world.sleep(600_000);
      expect((await world.pod('web')).status?.phase).to.equal('Running');
      await world.pods.delete('web', { gracePeriodSeconds: 0 });
      const nodes = world.client.resource('v1', 'nodes');
      expect(await missing(nodes.get('node-1'))).to.equal(true);
      world.life.recover('node-1');
      await world.create('web');
      await world.untilReady('web');
    });
  });

  it('are lost also when they fail while they register', async () => {
    await LifeWorld.run({}, async (world) => {
      await using next = world.another({ nodes: [{ name: 'late' }] });
      await world.client.resource('v1', 'nodes').wait('late', (node) => node !== undefined);
      expect(next.inspect().nodes[0]?.phase).to.equal('starting');
      await next.fail('late');
      await world.world.sleep(5000);
      expect(next.inspect().nodes[0]?.phase).to.equal('failed');
      const { spec } = await lease(world, 'late');
      expect(spec?.leaseDurationSeconds).to.equal(40);
    });
  });

  it('register again when somebody takes their status away', async () => {
    await LifeWorld.run({}, async (world) => {
      const nodes = world.client.resource<Node>('v1', 'nodes');
      await nodes.patch('node-1', { status: null }, { subresource: 'status' });
      await world.world.until('it has its capacity', async () => {
        return (await world.node('node-1')).status?.capacity?.['cpu'] === '8';
      });
    });
  });

  it('refuse a name that is none of theirs', async () => {
    await LifeWorld.run({}, async (world) => {
      expect(() => world.life.recover('node-9')).to.throw(/no node "node-9".*node-1/);
    });
  });
});
