import { expect } from 'chai';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { LifeWorld } from './life-world.ts';

const main = { name: 'main', image: 'nginx' };

async function put(world: LifeWorld, kind: string, name: string, data?: object): Promise<void> {
  const resource = `${kind.toLowerCase()}s`;
  await world.client.resource<UnstructuredObject>('v1', resource, { namespace: 'default' }).create({
    apiVersion: 'v1',
    kind,
    metadata: { name },
    ...(data === undefined ? {} : { data }),
  });
}

describe('a pod that needs something', () => {
  it('waits for the config map of a variable, and for its key', async () => {
    await LifeWorld.run({}, async (world) => {
      const configMapKeyRef = { name: 'settings', key: 'colour' };
      const env = [{ name: 'COLOUR', valueFrom: { configMapKeyRef } }];
      await world.create('web', { containers: [{ ...main, env }] });
      const waiting = await world.until(
        'web',
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.message !== undefined,
      );
      expect(waiting.status?.containerStatuses?.[0]?.state?.waiting).to.deep.equal({
        reason: 'CreateContainerConfigError',
        message: 'configmap "settings" not found',
      });
      await put(world, 'ConfigMap', 'settings', { other: '1' });
      await world.until(
        'web',
        ({ status }) =>
          status?.containerStatuses?.[0]?.state?.waiting?.message ===
          "couldn't find key colour in ConfigMap default/settings",
      );
      const maps = world.client.resource('v1', 'configmaps', { namespace: 'default' });
      await maps.patch('settings', { data: { colour: 'red' } });
      await world.untilReady('web');
      expect(await world.events('web')).to.include('Failed: Error: configmap "settings" not found');
    });
  });

  it('waits for the secret of a volume', async () => {
    await LifeWorld.run({}, async (world) => {
      const volumes = [{ name: 'keys', secret: { secretName: 'keys' } }];
      await world.create('web', { volumes });
      await world.until('web', ({ status }) => status?.startTime !== undefined);
      expect(await world.events('web')).to.deep.equal([
        'FailedMount: MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
      ]);
      expect(world.states('web')).to.deep.equal(['Pending ready=False main:ContainerCreating']);
      await put(world, 'Secret', 'keys');
      await world.untilReady('web');
    });
  });

  it('does not wait for what is optional', async () => {
    await LifeWorld.run({}, async (world) => {
      const volumes = [{ name: 'keys', secret: { secretName: 'keys', optional: true } }];
      await world.create('web', { volumes });
      await world.untilReady('web');
    });
  });

  it('waits until its claim is bound', async () => {
    await LifeWorld.run({}, async (world) => {
      const claims = world.client.resource('v1', 'persistentvolumeclaims', {
        namespace: 'default',
      });
      await claims.create({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      await world.create('db', { volumes });
      await world.until('db', ({ status }) => status?.startTime !== undefined);
      await claims.patch('data', { spec: { volumeName: 'disk' } });
      await claims.patch('data', { status: { phase: 'Bound' } }, { subresource: 'status' });
      await world.untilReady('db');
    });
  });

  it('goes when it is deleted while it waits', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web', { volumes: [{ name: 'keys', secret: { secretName: 'keys' } }] });
      await world.until('web', ({ status }) => status?.startTime !== undefined);
      await world.pods.delete('web');
      await world.untilGone('web');
    });
  });
});
