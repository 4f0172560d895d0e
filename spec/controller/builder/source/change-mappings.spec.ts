import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type { Deployment } from '../../../../lib/types/index.ts';
import { ControllerWorld, deployment } from '../controller-world.ts';

describe('the owners of an object that changes', () => {
  it('are reconciled: the one that it has, the one that it had, and no other', async () => {
    const world = new ControllerWorld();
    const deployments = world.user.resource('apps/v1', 'deployments', { namespace: 'default' });
    const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
    const ownerOf = ({ metadata: { name, uid } }: Stored<Deployment>) => [
      { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true },
    ];
    const [a, b] = [
      await world.after(deployments.create(deployment('a'))),
      await world.after(deployments.create(deployment('b'))),
    ];
    await world.after(deployments.create(deployment('c')));
    const runs: string[] = [];
    const runsOf = async (write: Promise<unknown>): Promise<readonly string[]> => {
      runs.length = 0;
      await world.after(write);
      return runs.toSorted();
    };
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .owns('v1', 'configmaps')
        .reconcile(async (_object, { key }) => void runs.push(key)),
    );
    const metadata = { name: 'map', ownerReferences: ownerOf(a) };
    expect(await runsOf(maps.create({ metadata }))).to.deep.equal(['default/a']);
    expect(await runsOf(maps.patch('map', { data: { a: '1' } }))).to.deep.equal(['default/a']);
    const moved = { metadata: { ownerReferences: ownerOf(b) } };
    expect(await runsOf(maps.patch('map', moved))).to.deep.equal(['default/a', 'default/b']);
    expect(await runsOf(maps.delete('map'))).to.deep.equal(['default/b']);
    await world.stop();
  });
});
