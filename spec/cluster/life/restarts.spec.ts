import { expect } from 'chai';
import { LifeWorld } from './life-world.ts';

const FAILS = [{ runsForMs: 1000, exitCode: 3 }];
const now = { startsAfterMs: 0, pullsAfterMs: 0 };

/** The times in seconds between the starts of a container. */
async function startGaps(world: LifeWorld, name: string, starts: number): Promise<number[]> {
  await world.until(
    name,
    ({ status }) => status?.containerStatuses?.[0]?.restartCount === starts - 1,
  );
  const times = new Set<number>();
  for (const { metadata, status } of world.seen) {
    const started = status?.containerStatuses?.[0]?.state?.running?.startedAt;
    if (metadata.name === name && started !== undefined) times.add(Date.parse(started) / 1000);
  }
  const sorted = [...times];
  return sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0));
}

describe('a container that ends', () => {
  it('starts again at once the first time, and then after 10 s, 20 s, 40 s and so on', async () => {
    await LifeWorld.run({ containers: FAILS, ...now }, async (world) => {
      await world.create('crash');
      const gaps = await startGaps(world, 'crash', 7);
      expect(gaps).to.deep.equal([1, 11, 21, 41, 81, 161]);
    });
  });

  it('shows its end, and that it waits', async () => {
    await LifeWorld.run({ containers: FAILS, ...now }, async (world) => {
      await world.create('crash');
      await world.world.sleep(13_500);
      expect(world.states('crash')).to.deep.equal([
        'Running ready=True main:running',
        'Running ready=True main:running#1',
        'Running ready=False main:CrashLoopBackOff#1',
        'Running ready=True main:running#2',
        'Running ready=False main:CrashLoopBackOff#2',
      ]);
      const pod = await world.pod('crash');
      const { uid } = pod.metadata;
      const [main] = pod.status?.containerStatuses ?? [];
      expect(main?.state?.waiting?.message).to.equal(
        `back-off 20s restarting failed container=main pod=crash_default(${uid})`,
      );
      expect(main?.lastState?.terminated).to.include({ exitCode: 3, reason: 'Error' });
      expect(await world.events('crash')).to.include(
        `BackOff: Back-off restarting failed container main in pod crash_default(${uid})`,
      );
      expect(world.life.inspect().pods).to.deep.equal({ CrashLoopBackOff: 1 });
    });
  });

  const outcomes = [
    ['Never', 0, 'Succeeded', 0],
    ['Never', 3, 'Failed', 0],
    ['OnFailure', 0, 'Succeeded', 0],
    ['OnFailure', 3, 'Running', 2],
    ['Always', 0, 'Running', 2],
  ] as const;
  for (const [restartPolicy, exitCode, phase, restarts] of outcomes) {
    it(`with ${exitCode} and the policy ${restartPolicy} leaves its pod ${phase}`, async () => {
      const containers = [{ runsForMs: 1000, exitCode }];
      await LifeWorld.run({ containers, ...now }, async (world) => {
        await world.create('job', { restartPolicy });
        await world.world.sleep(20_000);
        const { status } = await world.pod('job');
        expect(status?.phase).to.equal(phase);
        expect(status?.containerStatuses?.[0]?.restartCount).to.equal(restarts);
      });
    });
  }

  it('restarts by its own policy and rules before that of its pod', async () => {
    const containers = [{ runsForMs: 1000, exitCode: 42 }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      const main = { name: 'main', image: 'nginx' };
      const exitCodes = { operator: 'In', values: [42] };
      const restartPolicyRules = [{ action: 'Restart', exitCodes }];
      await world.create('rules', {
        restartPolicy: 'Never',
        containers: [{ ...main, restartPolicy: 'Never', restartPolicyRules }],
      });
      await world.create('never', {
        restartPolicy: 'Always',
        containers: [{ ...main, restartPolicy: 'Never' }],
      });
      await world.until(
        'rules',
        ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1,
      );
      await world.untilPhase('never', 'Failed');
    });
  });

  it('starts again when it is made to crash', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      world.life.crash({ namespace: 'default', name: 'web', exitCode: 139 });
      const pod = await world.until(
        'web',
        ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1,
      );
      expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).to.equal(139);
      expect(() => world.life.crash({ namespace: 'default', name: 'none' })).to.throw(
        /default\/none/,
      );
    });
  });
});

describe('a pod with init containers', () => {
  const containers = [
    { match: { container: 'first' }, runsForMs: 2000 },
    { match: { container: 'second' }, runsForMs: 3000 },
    { match: { container: 'fails' }, runsForMs: 500, exitCode: 1 },
  ];
  const one = (name: string) => ({ name, image: 'busybox' });

  it('runs them one after the other before its containers', async () => {
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { initContainers: [one('first'), one('second')] });
      const pod = await world.untilReady('web');
      expect(world.states('web')).to.deep.equal([
        'Pending ready=False first:running second:PodInitializing main:PodInitializing',
        'Pending ready=False first:Completed(0) second:running main:PodInitializing',
        'Running ready=True first:Completed(0) second:Completed(0) main:running',
      ]);
      expect(pod.status?.initContainerStatuses?.[0]).to.include({ ready: true, started: false });
    });
  });

  it('fails with one that fails, if it never restarts', async () => {
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { restartPolicy: 'Never', initContainers: [one('fails')] });
      await world.untilPhase('web', 'Failed');
      expect(world.states('web').at(-1)).to.equal(
        'Failed ready=False fails:Error(1) main:PodInitializing',
      );
    });
  });

  it('tries one that fails again, with a back-off', async () => {
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { initContainers: [one('fails')] });
      await world.world.sleep(5000);
      expect(world.states('web').at(-1)).to.equal(
        'Pending ready=False fails:CrashLoopBackOff#1 main:PodInitializing',
      );
    });
  });

  it('starts sidecars before its containers, and ends them after', async () => {
    const rules = [{ match: { container: 'main' }, runsForMs: 5000 }];
    await LifeWorld.run({ containers: rules, ...now }, async (world) => {
      const sidecar = { ...one('proxy'), restartPolicy: 'Always' };
      await world.create('job', { restartPolicy: 'Never', initContainers: [sidecar] });
      await world.untilPhase('job', 'Succeeded');
      expect(world.states('job')).to.deep.equal([
        'Running ready=True proxy:running main:running',
        'Succeeded ready=False proxy:Completed(0) main:Completed(0)',
      ]);
    });
  });

  it('waits for the startup probe of a sidecar', async () => {
    await LifeWorld.run(now, async (world) => {
      const startupProbe = { tcpSocket: { port: 1 }, initialDelaySeconds: 5 };
      const sidecar = { ...one('proxy'), restartPolicy: 'Always', startupProbe };
      await world.create('web', { initContainers: [sidecar] });
      await world.untilReady('web');
      expect(world.states('web')).to.deep.equal([
        'Pending ready=False proxy:running main:PodInitializing',
        'Running ready=True proxy:running main:running',
      ]);
    });
  });
});

describe('a pod', () => {
  it('is ready when its probes have succeeded', async () => {
    await LifeWorld.run({ containers: [{ readyAfterMs: 2000 }], ...now }, async (world) => {
      const startupProbe = { tcpSocket: { port: 1 }, initialDelaySeconds: 5 };
      const readinessProbe = { tcpSocket: { port: 1 }, initialDelaySeconds: 3 };
      const main = { name: 'main', image: 'nginx', startupProbe, readinessProbe };
      const startedMs = world.nowMs;
      await world.create('web', { containers: [main] });
      await world.untilReady('web');
      expect(world.nowMs - startedMs).to.be.within(10_000, 10_100);
      expect(world.states('web')).to.have.length(3);
    });
  });

  it('fails when its active deadline is over', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('late', { activeDeadlineSeconds: 30 });
      const pod = await world.untilPhase('late', 'Failed');
      expect(pod.status).to.include({
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      });
      expect(world.states('late').at(-1)).to.equal('Failed ready=False main:Completed(0)');
    });
  });

  it('has not failed before its containers have ended', async () => {
    await LifeWorld.run({ containers: [{ stopsAfterMs: 5000 }], ...now }, async (world) => {
      await world.create('late', { activeDeadlineSeconds: 30 });
      await world.world.sleep(33_000);
      expect((await world.pod('late')).status?.phase).to.equal('Running');
      await world.untilPhase('late', 'Failed');
      expect(world.states('late')).to.have.length(2);
    });
  });

  it('waits for an image that cannot be pulled, and goes on when it can', async () => {
    let pullError: string | undefined = 'not found';
    const containers = () => ({ pullsAfterMs: () => 0, pullError });
    const image = 'registry.example/shop:1';
    const main = { name: 'main', image, imagePullPolicy: 'IfNotPresent' } as const;
    const shop = { containers: [main] };
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', shop);
      await world.world.sleep(5000);
      expect(world.states('web')).to.deep.equal([
        'Pending ready=False main:ErrImagePull',
        'Pending ready=False main:ImagePullBackOff',
      ]);
      pullError = undefined;
      await world.create('other', shop);
      await world.untilReady('other');
      // The node has the image now.
      await world.untilReady('web');
    });
  });

  it('runs an ephemeral container that is added to it', async () => {
    const containers = [{ match: { container: 'debug' }, runsForMs: 5000 }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
      const options = { type: 'strategic', subresource: 'ephemeralcontainers' } as const;
      await world.pods.patch('web', { spec: { ephemeralContainers } }, options);
      const pod = await world.until(
        'web',
        ({ status }) => status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined,
      );
      expect(pod.status?.phase).to.equal('Running');
      await world.pods.delete('web');
      await world.untilGone('web');
    });
  });

  const refusals = [
    [
      'OutOfcpu',
      { resources: { requests: { cpu: '9' } } },
      /cpu, requested: 9000, used: 0, capacity: 8000/,
    ],
    ['OutOfmemory', { resources: { requests: { memory: '33Gi' } } }, /memory/],
  ] as const;
  for (const [reason, container, message] of refusals) {
    it(`is rejected with ${reason}`, async () => {
      await LifeWorld.run(now, async (world) => {
        await world.create('big', { containers: [{ name: 'main', image: 'nginx', ...container }] });
        const { status } = await world.untilPhase('big', 'Failed');
        expect(status?.reason).to.equal(reason);
        expect(status?.message).to.match(/^Pod was rejected: Node didn't have enough resource/);
        expect(status?.message).to.match(message);
        await world.pods.delete('big');
        await world.untilGone('big');
      });
    });
  }

  it('is rejected when the node has its maximum of pods, and taken when there is room again', async () => {
    await LifeWorld.run(
      { nodes: [{ name: 'node-1', capacity: { pods: 1 } }], ...now },
      async (world) => {
        await world.create('a');
        await world.untilReady('a');
        await world.create('b');
        expect((await world.untilPhase('b', 'Failed')).status?.reason).to.equal('OutOfpods');
        await world.pods.delete('a');
        await world.untilGone('a');
        await world.create('c');
        await world.untilReady('c');
      },
    );
  });
});
