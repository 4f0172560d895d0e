import { expect } from 'chai';
import { nodeLifecycle } from '../../../lib/cluster/nodes/node-lifecycle.ts';
import { podGarbage } from '../../../lib/cluster/nodes/pod-garbage.ts';
import { taintEviction } from '../../../lib/cluster/nodes/taint-eviction.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/built-in/coordination-v1-kinds.ts';
import type { Event, Node, Pod } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { NetworkWorld } from '../support/network-world.ts';

const FOR_EVER = 2_147_483_647;

function nowOf({ world }: NetworkWorld): string {
  return new Date(world.runtime.wallMs()).toISOString();
}

function nodesOf({ world }: NetworkWorld): ReturnType<typeof world.client.resource<Node>> {
  return world.client.resource<Node>('v1', 'nodes');
}

function leasesOf({ world }: NetworkWorld): ReturnType<typeof world.client.resource<Lease>> {
  return world.client.resource<Lease>('coordination.k8s.io/v1', 'leases', {
    namespace: 'kube-node-lease',
  });
}

/** A node as its kubelet keeps it. */
async function live(world: NetworkWorld, name: string): Promise<void> {
  await world.node(name);
  await beat(world, name);
  await leasesOf(world).create({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: name, leaseDurationSeconds: FOR_EVER, renewTime: renewTime(world) },
  });
}

function renewTime(world: NetworkWorld): string {
  return nowOf(world).replace('Z', '000Z');
}

async function beat(world: NetworkWorld, name: string): Promise<void> {
  const now = nowOf(world);
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  await nodesOf(world).patch(
    name,
    { status: { conditions: [condition] } },
    { type: 'strategic', subresource: 'status' },
  );
}

async function fail(world: NetworkWorld, name: string): Promise<void> {
  const spec = { leaseDurationSeconds: 40, renewTime: renewTime(world) };
  await leasesOf(world).patch(name, { spec });
}

function shownTaints({ spec }: Node): string[] {
  return (spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);
}

function readiness({ status }: Node | Pod): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

async function podOf(world: NetworkWorld, name: string): Promise<Stored<Pod> | undefined> {
  try {
    return await world.pods.get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Seconds of virtual time until a state is there, by five. */
async function secondsUntil<T>(
  world: NetworkWorld,
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
): Promise<number> {
  const { runtime } = world.world;
  const beganMs = runtime.monotonicMs();
  while (!isWanted(await read())) {
    if (runtime.monotonicMs() - beganMs > 3_600_000) throw new Error('never');
    await world.world.sleep(1000);
  }
  return Math.round((runtime.monotonicMs() - beganMs) / 5000) * 5;
}

const ALL = [nodeLifecycle, taintEviction, podGarbage];

describe('the life cycle of nodes', () => {
  it('loses a node after 50 s, and evicts its pods after 300 s more', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      await live(world, 'node-1');
      await live(world, 'node-2');
      await world.pod('a', { ip: '10.0.0.1' });
      await world.world.sleep(300_000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.deep.equal([]);
      await fail(world, 'node-1');
      const node = (): Promise<Node> => nodesOf(world).get('node-1');
      expect(await secondsUntil(world, node, (one) => readiness(one) === 'Unknown')).to.equal(50);
      await world.world.sleep(1000);
      expect(shownTaints(await node())).to.deep.equal([
        'unreachable:NoSchedule',
        'unreachable:NoExecute',
      ]);
      const pod = (): Promise<Stored<Pod> | undefined> => podOf(world, 'a');
      expect(readiness((await pod()) ?? {})).to.equal('False');
      const gone = (one: Stored<Pod> | undefined): boolean =>
        one?.metadata.deletionTimestamp !== undefined;
      expect(await secondsUntil(world, pod, gone)).to.equal(300);
      const target = (await pod())?.status?.conditions?.find(
        ({ type }) => type === 'DisruptionTarget',
      );
      expect(target).to.include({ status: 'True', reason: 'DeletionByTaintManager' });
      const { items } = await world.resource<Event>('v1', 'events').list();
      const texts = items.map(
        ({ source, reason, message }) => `${source?.component} ${reason}: ${message}`,
      );
      expect(texts).to.include.members([
        'node-controller NodeNotReady: Node is not ready',
        'taint-eviction-controller TaintManagerEviction: Marking for deletion Pod default/a',
      ]);
    });
  });

  it('takes the taints away when the node comes back, and evicts nothing', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      await live(world, 'node-1');
      await live(world, 'node-2');
      await world.pod('a', { ip: '10.0.0.1' });
      await fail(world, 'node-1');
      await world.world.sleep(120_000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.have.length(2);
      await leasesOf(world).patch('node-1', {
        spec: { leaseDurationSeconds: FOR_EVER, renewTime: renewTime(world) },
      });
      await beat(world, 'node-1');
      await world.world.sleep(1000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.deep.equal([]);
      await world.world.sleep(600_000);
      expect((await podOf(world, 'a'))?.metadata.deletionTimestamp).to.equal(undefined);
      const { items } = await world.resource<Event>('v1', 'events').list();
      expect(items.map(({ message }) => message)).to.include(
        'Cancelling deletion of Pod default/a',
      );
    });
  });

  it('evicts nothing when all nodes are lost', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      await live(world, 'node-1');
      await live(world, 'node-2');
      await fail(world, 'node-1');
      await world.world.sleep(60_000);
      await fail(world, 'node-2');
      await world.world.sleep(60_000);
      for (const name of ['node-1', 'node-2']) {
        expect(shownTaints(await nodesOf(world).get(name))).to.deep.equal([
          'unreachable:NoSchedule',
        ]);
      }
      await beat(world, 'node-2');
      await world.world.sleep(1000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.include('unreachable:NoExecute');
    });
  });

  it('evicts the nodes of a zone one after the other', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      for (const name of ['node-1', 'node-2', 'node-3', 'node-4']) await live(world, name);
      await fail(world, 'node-1');
      await fail(world, 'node-2');
      const evicted = async (): Promise<number> => {
        const { items } = await nodesOf(world).list();
        return items.filter((one) => shownTaints(one).includes('unreachable:NoExecute')).length;
      };
      await secondsUntil(world, evicted, (count) => count === 1);
      expect(await secondsUntil(world, evicted, (count) => count === 2)).to.equal(10);
    });
  });

  it('keeps pods off a node that is cordoned', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      await live(world, 'node-1');
      await nodesOf(world).patch('node-1', { spec: { unschedulable: true } });
      await world.world.sleep(1000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.deep.equal([
        'unschedulable:NoSchedule',
      ]);
      await nodesOf(world).patch('node-1', { spec: { unschedulable: null } });
      await world.world.sleep(1000);
      expect(shownTaints(await nodesOf(world).get('node-1'))).to.deep.equal([]);
    });
  });

  it('evicts at once what does not tolerate the taint of a user', async () => {
    await NetworkWorld.run(ALL, async (world) => {
      await live(world, 'node-1');
      await world.pod('a');
      await world.pod('b', { spec: { tolerations: [{ operator: 'Exists' }] } });
      await nodesOf(world).patch('node-1', {
        spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] },
      });
      await world.world.sleep(2000);
      const going = async (name: string): Promise<boolean> =>
        (await podOf(world, name))?.metadata.deletionTimestamp !== undefined;
      expect([await going('a'), await going('b')]).to.deep.equal([true, false]);
    });
  });
});

describe('the garbage collection of pods', () => {
  it('deletes the pods of a node 40 s after it has gone', async () => {
    await NetworkWorld.run([podGarbage], async (world) => {
      await live(world, 'node-1');
      await world.pod('a', { ip: '10.0.0.1' });
      await nodesOf(world).delete('node-1');
      expect(
        await secondsUntil(
          world,
          () => podOf(world, 'a'),
          (one) => one === undefined,
        ),
      ).to.equal(40);
    });
  });

  it('leaves them when the node comes back in time', async () => {
    await NetworkWorld.run([podGarbage], async (world) => {
      await live(world, 'node-1');
      await world.pod('a', { ip: '10.0.0.1' });
      await nodesOf(world).delete('node-1');
      await world.world.sleep(20_000);
      await world.node('node-1');
      await world.world.sleep(120_000);
      expect(await podOf(world, 'a')).to.not.equal(undefined);
    });
  });

  it('deletes the oldest pods when too many have ended', async () => {
    await NetworkWorld.run([(parts) => podGarbage(parts, 2)], async (world) => {
      await live(world, 'node-1');
      for (const name of ['a', 'b', 'c', 'd']) {
        await world.pod(name, { phase: 'Succeeded', ready: false });
        await world.world.sleep(2000);
      }
      await world.world.sleep(30_000);
      const { items } = await world.pods.list();
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['c', 'd']);
    });
  });
});
