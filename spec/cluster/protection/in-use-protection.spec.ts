import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { missing, VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const CONTROLLERS = ['pvc-protection'] as const;

function claimsOf(client: Client): ReturnType<typeof client.resource<UnstructuredObject>> {
  return client.resource<UnstructuredObject>('v1', 'persistentvolumeclaims', {
    namespace: 'default',
  });
}

async function usingPod(client: Client, claimName: string): Promise<void> {
  const spec = {
    nodeName: 'one',
    containers: [{ name: 'web', image: 'web:1' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  };
  const pods = client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
}

describe('InUseProtection', () => {
  it('lets many claims go that are deleted at once, and keeps the one in use', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const claims = claimsOf(world.client);
        for (let index = 0; index < 100; index += 1) {
          await claims.create({ ...CLAIM, metadata: { name: `claim-${index}` } });
        }
        await usingPod(world.client, 'claim-7');
        await claims.deleteCollection();
        await world.until('one is left', async () => (await claims.list()).items.length === 1);
        await world.sleep(5000);
        const { items } = await claims.list();
        expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['claim-7']);
        expect(world.cluster.inspect().claims).to.deep.equal({ kept: 1 });
      },
      { controllers: CONTROLLERS },
    );
  });

  it('goes on where controllers before it have stopped', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const claims = claimsOf(world.client);
        await claims.create({ ...CLAIM, metadata: { name: 'data' } });
        await usingPod(world.client, 'data');
        const stop = await world.startControllers(CONTROLLERS);
        await claims.delete('data');
        await world.sleep(10_000);
        await stop();
        const pods = world.client.resource('v1', 'pods', { namespace: 'default' });
        await pods.delete('web', { gracePeriodSeconds: 0 });
        await world.sleep(10_000);
        expect(await missing(claims.get('data'))).to.equal(false);
        const stopAgain = await world.startControllers(CONTROLLERS);
        await world.until('the claim is gone', () => missing(claims.get('data')));
        await stopAgain();
      },
      { controllers: 'none' },
    );
  });

  it('lets a claim of a snapshot go that was deleted before', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        await claimsOf(world.client).create({ ...CLAIM, metadata: { name: 'data' } });
        await claimsOf(world.client).delete('data');
        const snapshot = await world.cluster.server.snapshot();
        const { runtime } = world;
        await using next = await startCluster({ runtime, controllers: CONTROLLERS });
        await next.server.restore(snapshot);
        const transport = inProcessTransport(next.server.handler);
        await using client = new Client({ transport, runtime });
        await world.until('the claim is gone', () => missing(claimsOf(client).get('data')));
      },
      { controllers: 'none' },
    );
  });
});
