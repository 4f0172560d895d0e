import { expect } from 'chai';
import { missing, VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

describe('the deletion of namespaces', () => {
  for (const seed of [1, 2, 3]) {
    it(`leaves nothing behind of creations that race with it: seed ${seed}`, async () => {
      await VirtualClusterWorld.run(
        async (world) => {
          const namespaces = world.client.resource('v1', 'namespaces');
          await namespaces.create({
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: 'shop' },
          });
          const creations = Array.from({ length: 100 }, (_, index) =>
            world.map(`c${index}`, [], { namespace: 'shop' }),
          );
          await Promise.allSettled([...creations, namespaces.delete('shop')]);
          await world.until('the namespace is gone', () => missing(namespaces.get('shop')));
          expect((await world.maps('shop').list()).items).to.deep.equal([]);
        },
        {},
        seed,
      );
    });
  }

  it('goes on with a deletion that began when no controller ran', async () => {
    await VirtualClusterWorld.run(
      async (world) => {
        const namespaces = world.client.resource('v1', 'namespaces');
        await namespaces.create({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'shop' },
        });
        await world.map('a', [], { namespace: 'shop' });
        await namespaces.delete('shop');
        await world.sleep(60_000);
        expect((await namespaces.get('shop')).status?.phase).to.equal('Terminating');
        const stop = await world.startControllers(['namespace']);
        await world.until('the namespace is gone', () => missing(namespaces.get('shop')));
        await stop();
      },
      { controllers: 'none' },
    );
  });
});
