import { expect } from 'chai';
import type { ContainerRunContext } from '../../../lib/cluster/life/containers/container-behaviour.ts';
import type { Container } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { conditionOf, LifeWorld } from './life-world.ts';

const now = { startsAfterMs: 0, pullsAfterMs: 0 };
const probe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 3 };
const main = (more: Partial<Container>): Container => ({ name: 'main', image: 'nginx', ...more });

/** Unhealthy in its first run, until its signal. */
const run = async ({ restartCount, setHealthy, sleep }: ContainerRunContext): Promise<void> => {
  setHealthy(restartCount > 0);
  await sleep(1e9);
};

describe('a startup probe', () => {
  it('that fails too often has its container start again', async () => {
    const containers = [{ startedAfterMs: 3001 }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { containers: [main({ startupProbe: probe })] });
      await world.world.sleep(3500);
      const [status] = (await world.pod('web')).status?.containerStatuses ?? [];
      expect(status).to.include({ restartCount: 1, started: false });
      const events = await world.events('web');
      expect(events).to.include('Unhealthy: Startup probe failed: the container is not healthy');
      expect(events).to.include('Killing: Container main failed startup probe, will be restarted');
    });
  });

  it('that succeeds with its last try has its container run on', async () => {
    const containers = [{ startedAfterMs: 3000 }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { containers: [main({ startupProbe: probe })] });
      const { status } = await world.untilReady('web');
      expect(status?.containerStatuses?.[0]?.restartCount).to.equal(0);
    });
  });

  it('holds the answers of the other probes back', async () => {
    const early = async ({ setReady, setHealthy, sleep }: ContainerRunContext): Promise<void> => {
      setReady(true);
      setHealthy(false);
      await sleep(1e9);
    };
    const containers = [{ startedAfterMs: 2000, run: early }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      const probes = { startupProbe: probe, livenessProbe: probe };
      await world.create('web', { containers: [main(probes)] });
      await world.world.sleep(1900);
      expect(conditionOf(await world.pod('web'), 'Ready')).to.equal('False');
      await world.untilReady('web');
      await world.world.sleep(2000);
      const [before] = (await world.pod('web')).status?.containerStatuses ?? [];
      expect(before?.restartCount).to.equal(0);
      await world.until('web', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    });
  });
});

describe('a liveness probe that fails', () => {
  const outcomes = [
    ['Always', 'Running', 1],
    ['OnFailure', 'Running', 1],
    ['Never', 'Succeeded', 0],
  ] as const;
  for (const [restartPolicy, phase, restarts] of outcomes) {
    it(`leaves a pod with ${restartPolicy} ${phase}, whatever the exit code is`, async () => {
      await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
        await world.create('web', { restartPolicy, containers: [main({ livenessProbe: probe })] });
        await world.world.sleep(10_000);
        const { status } = await world.pod('web');
        expect(status?.phase).to.equal(phase);
        expect(status?.containerStatuses?.[0]?.restartCount).to.equal(restarts);
      });
    });
  }

  it('gives its container the time of its hook before the signal', async () => {
    const ends: number[] = [];
    const watched = async (context: ContainerRunContext): Promise<void> => {
      await run(context).catch(() => {});
      ends.push(world?.nowMs ?? 0);
    };
    let world: LifeWorld | undefined;
    await LifeWorld.run({ containers: [{ run: watched }], ...now }, async (created) => {
      world = created;
      const lifecycle = { preStop: { sleep: { seconds: 5 } } };
      const { metadata } = await created.create('web', {
        containers: [main({ lifecycle, livenessProbe: probe })],
      });
      await created.until(
        'web',
        ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1,
      );
      const seconds = ((ends[0] ?? 0) - Date.parse(metadata.creationTimestamp ?? '')) / 1000;
      expect(Math.floor(seconds)).to.equal(8);
    });
  });
});

describe('a container that is no main one', () => {
  it('is not ready, and its pod not initialized, while it runs as an init container', async () => {
    await LifeWorld.run(now, async (world) => {
      const first = { name: 'first', image: 'busybox', command: ['sleep', '100'] };
      await world.create('web', { initContainers: [first] });
      await world.world.sleep(5000);
      const pod = await world.pod('web');
      expect(conditionOf(pod, 'Initialized')).to.equal('False');
      expect(pod.status?.initContainerStatuses?.[0]).to.include({ ready: false, started: true });
    });
  });

  it('starts as an ephemeral one while init containers run', async () => {
    await LifeWorld.run(now, async (world) => {
      const first = { name: 'first', image: 'busybox', command: ['sleep', '100'] };
      await world.create('web', { initContainers: [first] });
      await world.world.sleep(1000);
      const options = { type: 'strategic', subresource: 'ephemeralcontainers' } as const;
      const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
      await world.pods.patch('web', { spec: { ephemeralContainers } }, options);
      const { status } = await world.until(
        'web',
        (pod) => pod.status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined,
      );
      expect(status?.phase).to.equal('Pending');
    });
  });

  it('shares the grace period with the others as a sidecar, and has two seconds at least', async () => {
    await LifeWorld.run({ containers: [{ stopsAfterMs: Infinity }], ...now }, async (world) => {
      const sidecar = { name: 'proxy', image: 'envoy', restartPolicy: 'Always' };
      await world.create('web', { initContainers: [sidecar] });
      await world.untilReady('web');
      const beganMs = world.nowMs;
      await world.pods.delete('web', { gracePeriodSeconds: 10 });
      await world.untilGone('web');
      expect(world.nowMs - beganMs).to.be.within(12_000, 12_100);
    });
  });
});
