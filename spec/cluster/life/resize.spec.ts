import { expect } from 'chai';
import { conditionOf, LifeWorld, type StoredPod } from './life-world.ts';

const now = { startsAfterMs: 0, pullsAfterMs: 0 };

function main(cpu: string, more: object = {}) {
  return { name: 'main', image: 'nginx', resources: { requests: { cpu } }, ...more };
}

async function resize(world: LifeWorld, name: string, cpu: string): Promise<void> {
  const options = { type: 'strategic', subresource: 'resize' } as const;
  const spec = { containers: [{ name: 'main', resources: { requests: { cpu } } }] };
  await world.pods.patch(name, { spec }, options);
}

function cpuOf({ status }: StoredPod): unknown {
  return status?.containerStatuses?.[0]?.resources?.requests?.['cpu'];
}

describe('a pod whose resources change', () => {
  it('gets them while it runs', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web', { containers: [main('1')] });
      await world.untilReady('web');
      await resize(world, 'web', '2');
      const pod = await world.until('web', (one) => cpuOf(one) === '2');
      const [status] = pod.status?.containerStatuses ?? [];
      expect(status?.allocatedResources).to.deep.equal({ cpu: '2' });
      expect(status?.restartCount).to.equal(0);
      expect(conditionOf(pod, 'PodResizePending')).to.equal(undefined);
    });
  });

  it('starts a container again whose policy asks for it', async () => {
    await LifeWorld.run(now, async (world) => {
      const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
      await world.create('web', { containers: [main('1', { resizePolicy })] });
      await world.untilReady('web');
      await resize(world, 'web', '2');
      const pod = await world.until(
        'web',
        ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1,
      );
      expect(cpuOf(pod)).to.equal('2');
    });
  });

  it('keeps the old ones while the node has no room, and gets the new ones when it has', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web', { containers: [main('4')] });
      await world.create('other', { containers: [main('4')] });
      await world.untilReady('web');
      await world.untilReady('other');
      await resize(world, 'web', '6');
      const waiting = await world.until(
        'web',
        (pod) => conditionOf(pod, 'PodResizePending') === 'True',
      );
      const condition = waiting.status?.conditions?.find(({ type }) => type === 'PodResizePending');
      expect(condition).to.include({
        reason: 'Deferred',
        message:
          "Node didn't have enough resource: cpu, requested: 6000, used: 4000, capacity: 8000",
      });
      expect(cpuOf(waiting)).to.equal('4');
      await world.pods.delete('other');
      const pod = await world.until('web', (one) => cpuOf(one) === '6');
      expect(conditionOf(pod, 'PodResizePending')).to.equal(undefined);
    });
  });

  it('keeps the old ones when the node could never have so much', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web', { containers: [main('1')] });
      await world.untilReady('web');
      await resize(world, 'web', '9');
      const pod = await world.until(
        'web',
        (one) => conditionOf(one, 'PodResizePending') === 'True',
      );
      expect(
        pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason,
      ).to.equal('Infeasible');
      expect(cpuOf(pod)).to.equal('1');
    });
  });
});
