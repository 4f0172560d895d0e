import { expect } from 'chai';
import { conditionOf, LifeWorld } from './life-world.ts';

describe('a pod on a node', () => {
  it('becomes ready with one write of its status', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      const pod = await world.untilReady('web');
      expect(world.states('web')).to.deep.equal(['Running ready=True main:running']);
      const { status } = pod;
      expect(status?.podIP).to.equal('10.244.0.2');
      expect(status?.hostIP).to.equal('172.18.0.2');
      const [main] = status?.containerStatuses ?? [];
      expect(main).to.include({ ready: true, started: true, restartCount: 0 });
      expect(main?.image).to.equal('docker.io/library/nginx:latest');
      expect(main?.containerID).to.match(/^containerd:\/\/[0-9a-f]{64}$/);
      for (const type of ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']) {
        expect(conditionOf(pod, type), type).to.equal('True');
      }
      const events = await world.events('web');
      expect(events.map((one) => one.split(':')[0])).to.deep.equal([
        'Pulling',
        'Pulled',
        'Created',
        'Started',
      ]);
    });
  });

  it('shows that its containers are being made when that takes longer than a second', async () => {
    await LifeWorld.run({ pullsAfterMs: 3000 }, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      expect(world.states('web')).to.deep.equal([
        'Pending ready=False main:ContainerCreating',
        'Running ready=True main:running',
      ]);
    });
  });

  it('ends with its last status and goes, when it is deleted', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await world.pods.delete('web');
      await world.untilGone('web');
      expect(world.states('web')).to.deep.equal([
        'Running ready=True main:running',
        // The deletion itself.
        'Running ready=True main:running',
        'Succeeded ready=False main:Completed(0)',
        // Its grace period, which ends.
        'Succeeded ready=False main:Completed(0)',
      ]);
      expect(await world.events('web')).to.include('Killing: Stopping container main');
      expect(world.life.inspect().pods).to.deep.equal({});
    });
  });

  it('is killed when its grace period is over', async () => {
    const containers = [{ stopsAfterMs: Infinity }];
    await LifeWorld.run({ containers }, async (world) => {
      await world.create('slow', { terminationGracePeriodSeconds: 7 });
      await world.untilReady('slow');
      const deletedMs = world.nowMs;
      await world.pods.delete('slow');
      await world.untilGone('slow');
      expect(world.nowMs - deletedMs).to.be.within(7000, 7100);
      expect(world.states('slow').at(-1)).to.equal('Failed ready=False main:Error(137)');
    });
  });

  it('is killed sooner when a second deletion shortens its grace period', async () => {
    const containers = [{ stopsAfterMs: Infinity }];
    await LifeWorld.run({ containers }, async (world) => {
      await world.create('slow', { terminationGracePeriodSeconds: 600 });
      await world.untilReady('slow');
      await world.pods.delete('slow');
      await world.world.sleep(1000);
      const deletedMs = world.nowMs;
      await world.pods.delete('slow', { gracePeriodSeconds: 2 });
      await world.untilGone('slow');
      expect(world.nowMs - deletedMs).to.be.within(2000, 2100);
    });
  });

  it('goes when it is deleted before its containers run', async () => {
    await LifeWorld.run({ pullsAfterMs: 60_000 }, async (world) => {
      await world.create('web');
      await world.until('web', ({ status }) => status?.startTime !== undefined);
      await world.pods.delete('web');
      await world.untilGone('web');
      expect(world.life.inspect().pods).to.deep.equal({});
    });
  });

  it('has failed when it is deleted before its containers run', async () => {
    await LifeWorld.run({ pullsAfterMs: 60_000 }, async (world) => {
      await world.create('web', {}, { finalizers: ['example.com/keep'] });
      await world.until('web', ({ status }) => status?.startTime !== undefined);
      await world.pods.delete('web');
      const { status } = await world.untilPhase('web', 'Failed');
      expect(status?.containerStatuses?.[0]?.state?.terminated).to.include({
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
      });
    });
  });

  it('shows the end of its container, and not a back-off, when it is deleted in one', async () => {
    await LifeWorld.run({ containers: [{ runsForMs: 0, exitCode: 3 }] }, async (world) => {
      await world.create('web', {}, { finalizers: ['example.com/keep'] });
      await world.until('web', ({ status }) => {
        return status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff';
      });
      await world.pods.delete('web');
      await world.untilPhase('web', 'Failed');
      expect(world.states('web').at(-1)).to.equal('Failed ready=False main:Error(3)#1');
    });
  });

  it('keeps the times of its conditions when it was rejected and changes', async () => {
    await LifeWorld.run({}, async (world) => {
      const resources = { requests: { cpu: '99' } };
      await world.create('big', { containers: [{ name: 'main', image: 'a', resources }] });
      const before = await world.untilPhase('big', 'Failed');
      await world.world.sleep(5000);
      await world.pods.patch('big', { metadata: { labels: { app: 'web' } } });
      await world.world.sleep(5000);
      expect((await world.pod('big')).status).to.deep.equal(before.status);
    });
  });

  it('has its status written again when somebody writes over it', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web');
      const before = await world.untilReady('web');
      const conditions = [{ type: 'Ready', status: 'False', reason: 'Mine' }];
      await world.pods.patch(
        'web',
        { status: { phase: 'Pending', podIP: '10.244.0.2', conditions } },
        { type: 'strategic', subresource: 'status' },
      );
      const after = await world.until('web', (pod) => conditionOf(pod, 'Ready') === 'True');
      expect(after.status?.podIP).to.equal(before.status?.podIP);
      await world.world.sleep(60_000);
      expect((await world.pod('web')).metadata.resourceVersion).to.equal(
        after.metadata.resourceVersion,
      );
    });
  });

  it('keeps conditions of others, and waits for its readiness gates', async () => {
    await LifeWorld.run({}, async (world) => {
      await world.create('web', { readinessGates: [{ conditionType: 'example.com/on' }] });
      const set = async (status: string): Promise<void> => {
        const conditions = [{ type: 'example.com/on', status }];
        const options = { type: 'strategic', subresource: 'status' } as const;
        await world.pods.patch('web', { status: { conditions } }, options);
      };
      const message = async (): Promise<string | undefined> => {
        const { status } = await world.pod('web');
        return status?.conditions?.find(({ type }) => type === 'Ready')?.message;
      };
      await world.untilPhase('web', 'Running');
      expect(await message()).to.match(/gate "example.com\/on" does not exist/);
      await set('False');
      await world.world.sleep(1000);
      expect(await message()).to.match(/gate "example.com\/on" is not "True", but False/);
      await set('True');
      const pod = await world.untilReady('web');
      expect(await message()).to.equal(undefined);
      expect(conditionOf(pod, 'example.com/on')).to.equal('True');
    });
  });

  it('gets an address that no other pod has', async () => {
    await LifeWorld.run({}, async (world) => {
      const names = ['a', 'b', 'c'];
      for (const name of names) await world.create(name);
      const pods = [];
      for (const name of names) pods.push(await world.untilReady(name));
      const addresses = pods.map(({ status }) => status?.podIP);
      expect(new Set(addresses).size).to.equal(3);
      await world.create('host', { hostNetwork: true });
      expect((await world.untilReady('host')).status?.podIP).to.equal('172.18.0.2');
    });
  });

  it('gives its address back when it has ended', async () => {
    const now = { startsAfterMs: 0, pullsAfterMs: 0, events: 'none' } as const;
    await LifeWorld.run({ containers: [{ runsForMs: 0 }], ...now }, async (world) => {
      // More than the range of the node has.
      for (let index = 0; index < 256; index += 1) {
        await world.create(`job-${index}`, { restartPolicy: 'Never' });
        if (index % 64 === 63) await world.untilPhase(`job-${index}`, 'Succeeded');
      }
      expect((await world.pod('job-255')).status?.podIP).to.equal('10.244.0.4');
    });
  });
});
