import { expect } from 'chai';
import type { Event } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { LifeWorld } from './life-world.ts';

describe('the events of the containers of a pod', () => {
  it('name their container by the path of its field, each container as an event of its own', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web', {
        initContainers: [
          { name: 'first', image: 'busybox', command: ['true'] },
          { name: 'proxy', image: 'proxy', restartPolicy: 'Always' },
        ],
        containers: [
          { name: 'main', image: 'nginx' },
          { name: 'other', image: 'nginx' },
        ],
      });
      await world.untilReady('web');
      await world.world.sleep(1000);
      const { items } = await world.client
        .resource<Event>('v1', 'events', { namespace: 'default' })
        .list();
      const started = items.filter(({ reason }) => reason === 'Started');
      expect(started.map(({ involvedObject }) => involvedObject.fieldPath)).to.have.members([
        'spec.initContainers{first}',
        'spec.initContainers{proxy}',
        'spec.containers{main}',
        'spec.containers{other}',
      ]);
      expect(started.map(({ count }) => count)).to.deep.equal([1, 1, 1, 1]);
    });
  });
});
