import { expect } from 'chai';
import type { ContainerRunContext } from '../../../lib/cluster/life/containers/container-behaviour.ts';
import { conditionOf, LifeWorld } from './life-world.ts';

const now = { startsAfterMs: 0, pullsAfterMs: 0 };

describe('nodes of a process that follows another one', () => {
  it('go on with the pods as they are, and write nothing', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web', {
        initContainers: [{ name: 'first', image: 'a', command: ['true'] }],
      });
      await world.untilReady('web');
      await world.world.sleep(1000);
      const before = await world.pod('web');
      await world.life[Symbol.asyncDispose]();
      await using next = world.another(now);
      await world.world.until(
        'the node runs',
        async () => next.inspect().nodes[0]?.phase === 'running',
      );
      await world.world.sleep(60_000);
      const after = await world.pod('web');
      expect(after.metadata.resourceVersion).to.equal(before.metadata.resourceVersion);
      expect(next.inspect().pods).to.deep.equal({ Running: 1 });
      await world.create('other');
      const { status } = await world.untilReady('other');
      expect(status?.podIP).not.to.equal(before.status?.podIP);
      await world.pods.delete('web');
      await world.untilGone('web');
    });
  });

  it('end their containers when it is time, and leave those unready that are', async () => {
    const options = { containers: [{ runsForMs: 30_000, readyAfterMs: Infinity }], ...now };
    await LifeWorld.run(options, async (world) => {
      await world.create('job', { restartPolicy: 'Never' });
      const { status } = await world.untilPhase('job', 'Running');
      await world.life[Symbol.asyncDispose]();
      await using _next = world.another(options);
      await world.world.sleep(20_000);
      expect(conditionOf(await world.pod('job'), 'Ready')).to.equal('False');
      const ended = await world.untilPhase('job', 'Succeeded');
      const finishedAt = ended.status?.containerStatuses?.[0]?.state?.terminated?.finishedAt;
      const ranMs = Date.parse(finishedAt ?? '') - Date.parse(status?.startTime ?? '');
      expect(ranMs).to.equal(30_000);
    });
  });

  it('give no pod the address of one that runs already', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('old');
      const { status } = await world.untilReady('old');
      await world.life[Symbol.asyncDispose]();
      // It comes before the old one in the order of names.
      await world.create('new');
      await using _next = world.another(now);
      const { status: newer } = await world.untilReady('new');
      expect(newer?.podIP).not.to.equal(status?.podIP);
    });
  });

  it('leave pods alone that have ended, until they are deleted', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('big', {
        containers: [{ name: 'main', image: 'a', resources: { requests: { cpu: '99' } } }],
      });
      const { metadata } = await world.untilPhase('big', 'Failed');
      await world.life[Symbol.asyncDispose]();
      await using next = world.another(now);
      await world.world.sleep(60_000);
      expect((await world.pod('big')).metadata.resourceVersion).to.equal(metadata.resourceVersion);
      expect(next.inspect().pods).to.deep.equal({});
      await world.pods.delete('big');
      await world.untilGone('big');
    });
  });

  it('call the functions of containers that run again', async () => {
    const restarts: number[] = [];
    const run = async ({ restartCount, sleep }: ContainerRunContext): Promise<void> => {
      restarts.push(restartCount);
      await sleep(1e9);
    };
    const options = { containers: [{ run }], ...now };
    await LifeWorld.run(options, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await world.life[Symbol.asyncDispose]();
      await using next = world.another(options);
      await world.world.until('it runs', async () => restarts.length === 2);
      expect(restarts).to.deep.equal([0, 0]);
      expect(next.inspect().pods).to.deep.equal({ Running: 1 });
    });
  });

  it('take a node over from one that still runs it, which stops it', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      await using next = world.another(now);
      await world.world.sleep(60_000);
      expect(world.life.inspect()).to.deep.include({ pods: {} });
      expect(world.life.inspect().nodes[0]?.phase).to.equal('replaced');
      expect(next.inspect().pods).to.deep.equal({ Running: 1 });
      const { resourceVersion } = (await world.node('node-1')).metadata;
      await world.world.sleep(600_000);
      expect((await world.node('node-1')).metadata.resourceVersion).to.equal(resourceVersion);
      expect((await world.events('node-1')).join()).to.match(/NodeReplaced/);
    });
  });
});

describe('a cluster of many nodes', () => {
  it('gives the same states to the same seed', async () => {
    const trace = async (): Promise<string> =>
      await LifeWorld.run(
        { nodes: 3 },
        async (world) => {
          for (let index = 0; index < 9; index += 1) {
            await world.create(`p${index}`, { nodeName: `node-${(index % 3) + 1}` });
          }
          for (let index = 0; index < 9; index += 1) await world.untilReady(`p${index}`);
          return JSON.stringify(world.seen.map(({ metadata, status }) => [metadata.name, status]));
        },
        7,
      );
    expect(await trace()).to.equal(await trace());
  });

  it('has no timers and no agents when its pods are gone', async () => {
    await LifeWorld.run({ nodes: 2, ...now }, async (world) => {
      for (let round = 0; round < 3; round += 1) {
        for (let index = 0; index < 10; index += 1) await world.create(`p${index}`);
        for (let index = 0; index < 10; index += 1) await world.untilReady(`p${index}`);
        for (let index = 0; index < 10; index += 1) await world.pods.delete(`p${index}`);
        for (let index = 0; index < 10; index += 1) await world.untilGone(`p${index}`);
      }
      await world.world.sleep(60_000);
      expect(world.life.inspect()).to.deep.include({ pods: {}, working: 0, waiting: 0 });
    });
  });
});
