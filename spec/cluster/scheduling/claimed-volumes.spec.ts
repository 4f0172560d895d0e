import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import type { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';
import type { PersistentVolumeClaimSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { type PodShape, SchedulingWorld } from './scheduling-world.ts';

const HOST = 'kubernetes.io/hostname';
const HELP = 'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';

function using(claimName: string): PodShape {
  return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] };
}

async function claim(
  { world }: SchedulingWorld,
  name: string,
  spec: PersistentVolumeClaimSpec = {},
): Promise<void> {
  const claims = world.client.resource('v1', 'persistentvolumeclaims', { namespace: 'default' });
  await claims.create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'late',
      ...spec,
    },
  });
}

async function lateClass({ world }: SchedulingWorld, provisioner: string): Promise<void> {
  await world.client.resource('storage.k8s.io/v1', 'storageclasses').create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'late' },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
}

/** A volume that only one node has. */
async function volume({ world }: SchedulingWorld, name: string, node: string): Promise<void> {
  const volumes = world.client.resource('v1', 'persistentvolumes');
  const here = { key: HOST, operator: 'In' as const, values: [node] };
  await volumes.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      hostPath: { path: '/data' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
    },
  });
  await volumes.patch(name, { status: { phase: 'Available' } }, { subresource: 'status' });
}

/** As a controller of volumes does. */
async function bound({ world }: SchedulingWorld, name: string, volumeName: string): Promise<void> {
  const claims = world.client.resource('v1', 'persistentvolumeclaims', { namespace: 'default' });
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  await claims.patch(name, { metadata: { annotations }, spec: { volumeName } });
  await claims.patch(name, { status: { phase: 'Bound' } }, { subresource: 'status' });
}

/** A client before whose first write of the status of the pod `web` somebody deletes that. */
function interrupted({ client, cluster, runtime }: VirtualClusterWorld): Client {
  let isGone = false;
  const transport = inProcessTransport(async (request) => {
    if (!isGone && request.method === 'PATCH' && request.url.includes('/pods/web/status')) {
      isGone = true;
      await client.resource('v1', 'pods', { namespace: 'default' }).delete('web');
    }
    return await cluster.server.handler(request);
  });
  return new Client({ transport, runtime, onWarning: () => {} });
}

describe('claimed volumes', () => {
  it('are free again when the pod goes before they are bound', async () => {
    await SchedulingWorld.run(
      async (cluster) => {
        await lateClass(cluster, 'kubernetes.io/no-provisioner');
        await cluster.node('one');
        await volume(cluster, 'disk', 'one');
        await claim(cluster, 'data');
        await claim(cluster, 'other');
        await cluster.pod('web', using('data'));
        await cluster.world.sleep(5000);
        await cluster.pod('second', using('other'));
        const volumes = cluster.world.client.resource('v1', 'persistentvolumes');
        await cluster.world.until('the volume is chosen', async () => {
          return (await volumes.get('disk')).spec?.claimRef?.name === 'other';
        });
      },
      1,
      interrupted,
    );
  });

  it('say that a claim is missing, and let the pod go on when it comes bound', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      await cluster.pod('web', using('data'));
      expect(await cluster.message('web')).to.equal(
        '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
      );
      await volume(cluster, 'disk', 'one');
      await claim(cluster, 'data', { storageClassName: '' });
      await cluster.world.sleep(1000);
      expect(await cluster.message('web')).to.equal(
        '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
      );
      await bound(cluster, 'data', 'disk');
      expect(await cluster.placed('web')).to.equal('one');
    });
  });

  it('lead the pod to the node that has the volume', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      await volume(cluster, 'disk', 'two');
      await claim(cluster, 'data');
      await bound(cluster, 'data', 'disk');
      await cluster.pod('web', using('data'));
      expect(await cluster.message('web')).to.equal(
        `0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity. ${HELP}`,
      );
      await cluster.node('two');
      expect(await cluster.placed('web')).to.equal('two');
    });
  });

  it('are chosen with the node, and bound before the pod', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await lateClass(cluster, 'kubernetes.io/no-provisioner');
      await cluster.node('one');
      await cluster.node('two');
      await claim(cluster, 'data');
      await cluster.pod('web', using('data'));
      expect(await cluster.message('web')).to.contain(
        "2 node(s) didn't find available persistent volumes to bind.",
      );
      await volume(cluster, 'disk', 'two');
      const volumes = cluster.world.client.resource('v1', 'persistentvolumes');
      await cluster.world.until('the volume is chosen', async () => {
        return (await volumes.get('disk')).spec?.claimRef?.name === 'data';
      });
      await cluster.world.sleep(10_000);
      expect(await cluster.nodeOf('web')).to.equal('');
      expect((await cluster.pods().get('web')).status?.nominatedNodeName).to.equal('two');
      await bound(cluster, 'data', 'disk');
      expect(await cluster.placed('web')).to.equal('two');
    });
  });

  it('are asked for on the chosen node, and chosen again when there can be none', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await lateClass(cluster, 'example.com/disks');
      await cluster.node('one');
      await claim(cluster, 'data');
      await cluster.pod('web', using('data'));
      const claims = cluster.world.client.resource('v1', 'persistentvolumeclaims', {
        namespace: 'default',
      });
      const annotation = 'volume.kubernetes.io/selected-node';
      const isSelected = async (): Promise<boolean> =>
        (await claims.get('data')).metadata.annotations?.[annotation] === 'one';
      await cluster.world.until('the node is selected', isSelected);
      await claims.patch('data', { metadata: { annotations: { [annotation]: null } } });
      const { reason, message } = await cluster.pending('web');
      expect([reason, message]).to.deep.equal([
        'SchedulerError',
        'binding volumes: provisioning failed for PVC "data"',
      ]);
      await cluster.world.until('the node is selected again', isSelected);
      await volume(cluster, 'disk', 'one');
      await bound(cluster, 'data', 'disk');
      expect(await cluster.placed('web')).to.equal('one');
    });
  });

  it('are let go with the pod that waits for them', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await lateClass(cluster, 'example.com/disks');
      await cluster.node('one', { allocatable: { pods: '1' } });
      await claim(cluster, 'data');
      await cluster.pod('web', using('data'));
      await cluster.world.sleep(1000);
      expect(cluster.scheduler.inspect()).to.include({ placed: 1 });
      await cluster.pods().delete('web');
      await cluster.world.sleep(1000);
      expect(cluster.scheduler.inspect()).to.include({ placed: 0, active: 0, backingOff: 0 });
      await cluster.pod('next');
      expect(await cluster.placed('next')).to.equal('one');
    });
  });

  it('are used by one pod if they are for one', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      await volume(cluster, 'disk', 'one');
      await claim(cluster, 'data', { accessModes: ['ReadWriteOncePod'] });
      await bound(cluster, 'data', 'disk');
      await cluster.pod('first', using('data'));
      await cluster.placed('first');
      await cluster.pod('second', using('data'));
      expect(await cluster.message('second')).to.contain(
        '1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.',
      );
      await cluster.pods().delete('first');
      expect(await cluster.placed('second')).to.equal('one');
    });
  });
});
