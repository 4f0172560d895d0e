import { expect } from 'chai';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import {
  replicaSets,
  replicationControllers,
} from '../../../lib/cluster/replicas/replica-controller.ts';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import type { WorkloadParts } from '../../../lib/cluster/resources/workload-parts.ts';
import { controllerOf } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Pod, ReplicaSet } from '../../../lib/types/index.ts';
import { missing } from '../support/virtual-cluster-world.ts';
import { WorkloadWorld } from '../support/workload-world.ts';

const labels = { app: 'web' };
const podSpec = { containers: [{ name: 'web', image: 'web:1' }] };

function replicaSet(replicas: number, more: Partial<ReplicaSet['spec']> = {}): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
      ...more,
    },
  };
}

function pod(name: string, more: Partial<NonNullable<Pod['metadata']>> = {}): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, ...more }, spec: podSpec };
}

class Sets {
  readonly world: WorkloadWorld;
  readonly sets: ResourceClient<ReplicaSet>;
  readonly podClient: ResourceClient<Pod>;

  constructor(world: WorkloadWorld) {
    this.world = world;
    this.sets = world.client.resource('apps/v1', 'replicasets', { namespace: 'default' });
    this.podClient = world.client.resource('v1', 'pods', { namespace: 'default' });
  }

  async get(): Promise<Stored<ReplicaSet>> {
    return await this.sets.get('web');
  }

  async untilStatus(wanted: Partial<NonNullable<ReplicaSet['status']>>): Promise<void> {
    await this.world.until(`status ${JSON.stringify(wanted)}`, async () => {
      const status: object = (await this.get()).status ?? {};
      return Object.entries(wanted).every(
        ([name, value]) => (Reflect.get(status, name) ?? 0) === value,
      );
    });
  }

  async active(): Promise<readonly string[]> {
    const pods = await this.world.pods();
    return pods
      .filter(({ metadata, status }) => {
        const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
        return metadata.deletionTimestamp === undefined && !hasEnded;
      })
      .map(({ metadata }) => metadata.name);
  }
}

async function run<R>(work: (sets: Sets) => Promise<R>): Promise<R> {
  return await WorkloadWorld.run([replicaSets, replicationControllers], (world) =>
    work(new Sets(world)),
  );
}

describe('the controller of ReplicaSets', () => {
  it('creates pods of the template, and reports their number', async () => {
    await run(async (all) => {
      const { sets, world } = all;
      const made = await sets.create(replicaSet(3));
      await all.untilStatus({ replicas: 3, observedGeneration: 1 });
      const pods = await world.pods();
      expect(pods.map(({ metadata }) => metadata.generateName)).to.deep.equal(
        Array(3).fill('web-'),
      );
      expect(pods[0]?.metadata.ownerReferences).to.deep.equal([
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: made.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect((await all.get()).status).to.deep.equal({
        replicas: 3,
        fullyLabeledReplicas: 3,
        terminatingReplicas: 0,
        observedGeneration: 1,
      });
      await world.until('three events', async () => {
        return (await world.events('SuccessfulCreate')).length === 3;
      });
      const [event] = await world.events('SuccessfulCreate');
      expect(event?.message).to.match(/^Created pod: web-[a-z0-9]{5}$/);
      expect(event?.source?.component).to.equal('replicaset-controller');
    });
  });

  it('writes nothing once all is as it should be', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(3));
      await all.untilStatus({ replicas: 3 });
      await all.world.readyAll();
      await all.untilStatus({ readyReplicas: 3, availableReplicas: 3 });
      await all.world.sleep(60_000);
      const before = await all.get();
      await all.world.sleep(100_000);
      expect((await all.get()).metadata.resourceVersion).to.equal(before.metadata.resourceVersion);
      expect(await all.active()).to.have.length(3);
    });
  });

  it('counts a pod as available at the moment when it has been ready for minReadySeconds', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2, { minReadySeconds: 30 }));
      await all.untilStatus({ replicas: 2 });
      const [one, other] = await all.active();
      await all.world.setPod(one ?? '', { phase: 'Running', ready: true });
      const readyMs = Date.parse(all.world.now);
      await all.world.sleep(10_000);
      await all.world.setPod(other ?? '', { phase: 'Running', ready: true });
      await all.untilStatus({ readyReplicas: 2, availableReplicas: 0 });
      await all.untilStatus({ availableReplicas: 1 });
      const afterMs = all.world.world.runtime.wallMs() - readyMs;
      expect(afterMs).to.be.within(30_000, 30_600);
      await all.untilStatus({ availableReplicas: 2 });
      expect(all.world.world.runtime.wallMs() - readyMs).to.be.within(39_000, 41_600);
    });
  });

  it('deletes the pods with the lowest deletion cost first when it is made smaller', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(4));
      await all.untilStatus({ replicas: 4 });
      const names = await all.active();
      for (const [index, name] of names.entries()) {
        const annotations = { 'controller.kubernetes.io/pod-deletion-cost': `${index}` };
        await all.podClient.patch(name, { metadata: { annotations } });
      }
      await all.sets.patch('web', { spec: { replicas: 2 } });
      await all.untilStatus({ replicas: 2, observedGeneration: 2 });
      expect(await all.active()).to.have.members(names.slice(2));
      await all.world.until('events', async () => {
        return (await all.world.events('SuccessfulDelete')).length === 2;
      });
      const messages = (await all.world.events('SuccessfulDelete')).map(({ message }) => message);
      expect(messages).to.have.members(names.slice(0, 2).map((name) => `Deleted pod: ${name}`));
    });
  });

  it('adopts pods without a controller: those that were there, and those that come', async () => {
    await run(async (all) => {
      await all.podClient.create(pod('before'));
      const { metadata } = await all.sets.create(replicaSet(1));
      await all.untilStatus({ replicas: 1 });
      expect(await all.active()).to.deep.equal(['before']);
      expect(controllerOf(await all.podClient.get('before'))?.uid).to.equal(metadata.uid);
      await all.sets.patch('web', { spec: { replicas: 2 } });
      await all.untilStatus({ replicas: 2 });
      await all.podClient.create(pod('later'));
      await all.world.until('one is too many', async () => (await all.active()).length === 2);
      await all.untilStatus({ replicas: 2 });
    });
  });

  it('adopts a pod that gets its labels later', async () => {
    await run(async (all) => {
      await all.podClient.create(pod('later', { labels: { app: 'other' } }));
      await all.sets.create(replicaSet(0));
      await all.untilStatus({ observedGeneration: 1 });
      await all.podClient.patch('later', { metadata: { labels } });
      await all.world.until('it is deleted as one too many', () =>
        missing(all.podClient.get('later')),
      );
    });
  });

  it('releases a pod that it does not select any more, and makes another one', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(1));
      await all.untilStatus({ replicas: 1 });
      const [name = ''] = await all.active();
      await all.podClient.patch(name, { metadata: { labels: { app: 'broken' } } });
      await all.world.until('another pod', async () => (await all.active()).length === 2);
      await all.world.until('released', async () => {
        return controllerOf(await all.podClient.get(name)) === undefined;
      });
      await all.untilStatus({ replicas: 1 });
    });
  });

  it('leaves pods alone that another one controls, although it selects them', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2));
      await all.untilStatus({ replicas: 2 });
      await all.sets.create({ ...replicaSet(1), metadata: { name: 'web-2' } });
      await all.world.until('the other has its own', async () => {
        return (await all.sets.get('web-2')).status?.replicas === 1;
      });
      await all.world.sleep(60_000);
      expect((await all.get()).status?.replicas).to.equal(2);
      expect(await all.active()).to.have.length(3);
    });
  });

  it('replaces pods that have ended', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2));
      await all.untilStatus({ replicas: 2 });
      const [one = '', other = ''] = await all.active();
      await all.world.setPod(one, { phase: 'Failed' });
      await all.world.setPod(other, { phase: 'Succeeded' });
      await all.world.until('two others', async () => {
        const names = await all.active();
        return names.length === 2 && !names.includes(one) && !names.includes(other);
      });
      expect((await all.world.pods()).length).to.equal(4);
    });
  });

  it('counts pods that are being deleted, and replaces them at once', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(1));
      await all.untilStatus({ replicas: 1 });
      const [name = ''] = await all.active();
      await all.podClient.patch(name, { metadata: { finalizers: ['example.com/hold'] } });
      await all.podClient.delete(name);
      await all.untilStatus({ replicas: 1, terminatingReplicas: 1 });
      expect(await all.world.pods()).to.have.length(2);
      await all.podClient.patch(name, { metadata: { finalizers: null } });
      await all.untilStatus({ replicas: 1, terminatingReplicas: 0 });
    });
  });

  it('says in a condition and an event that a quota refuses pods, and tries seldom', async () => {
    await run(async (all) => {
      const { client } = all.world;
      const quotas = client.resource('v1', 'resourcequotas', { namespace: 'default' });
      await quotas.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few' },
        spec: { hard: { pods: '2' } },
      });
      await all.world.until('the quota counts', async () => {
        return (await quotas.get('few')).status?.hard?.['pods'] === '2';
      });
      await all.sets.create(replicaSet(5));
      await all.untilStatus({ replicas: 2 });
      await all.world.until('the condition', async () => {
        return ((await all.get()).status?.conditions ?? []).length === 1;
      });
      const [condition] = (await all.get()).status?.conditions ?? [];
      expect(condition).to.include({
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
      });
      expect(condition?.message).to.match(
        /^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2$/,
      );
      await all.world.until('an event', async () => {
        return (await all.world.events('FailedCreate')).length > 0;
      });
      const [event] = await all.world.events('FailedCreate');
      expect(event?.message).to.match(/^Error creating: pods "web-[a-z0-9]{5}" is forbidden: /);
      const { metadata } = await all.get();
      await all.world.sleep(100_000);
      expect((await all.get()).metadata.resourceVersion).to.equal(metadata.resourceVersion);
      await quotas.patch('few', { spec: { hard: { pods: '10' } } });
      await all.untilStatus({ replicas: 5 });
      expect((await all.get()).status?.conditions).to.equal(undefined);
    });
  });

  it('puts right a status that somebody has written over it', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2));
      await all.untilStatus({ replicas: 2 });
      const status = { replicas: 7, readyReplicas: 7, observedGeneration: 1 };
      await all.sets.patch('web', { status }, { type: 'merge', subresource: 'status' });
      await all.untilStatus({ replicas: 2, readyReplicas: 0 });
    });
  });

  it('creates more than 500 pods in several runs', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(520));
      await all.untilStatus({ replicas: 500 });
      await all.untilStatus({ replicas: 520 });
      await all.sets.patch('web', { spec: { replicas: 0 } });
      await all.untilStatus({ replicas: 0 });
      expect(await all.world.pods()).to.have.length(0);
    });
  });

  it('creates nothing for one that is being deleted', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2));
      await all.untilStatus({ replicas: 2 });
      for (const name of await all.active()) {
        await all.podClient.patch(name, { metadata: { finalizers: ['example.com/hold'] } });
      }
      await all.sets.delete('web', { propagationPolicy: 'Foreground' });
      await all.untilStatus({ replicas: 0, terminatingReplicas: 2 });
      await all.world.sleep(60_000);
      expect(await all.world.pods()).to.have.length(2);
    });
  });

  it('rests while a large one is being deleted', async () => {
    const parts: ClusterPart[] = [];
    const make = (all: WorkloadParts): ClusterPart => {
      const part = replicaSets(all);
      parts.push(part);
      return part;
    };
    await WorkloadWorld.run([make], async (world) => {
      const { sets } = new Sets(world);
      const set = replicaSet(0);
      await sets.create({ ...set, metadata: { name: 'web', finalizers: ['example.com/hold'] } });
      await sets.delete('web');
      await sets.patch('web', { spec: { replicas: 600 } });
      await world.sleep(5000);
      const seen = new Set<string | undefined>();
      for (let look = 0; look < 20; look += 1) {
        for (const part of parts) seen.add(part.pending?.());
        await world.sleep(7);
      }
      expect([...seen]).to.deep.equal([undefined]);
    });
  });

  it('leaves its pods when they are orphaned', async () => {
    await run(async (all) => {
      await all.sets.create(replicaSet(2));
      await all.untilStatus({ replicas: 2 });
      await all.sets.delete('web', { propagationPolicy: 'Orphan' });
      await all.world.until('it is gone', () => missing(all.sets.get('web')));
      const pods = await all.world.pods();
      expect(pods.map(controllerOf)).to.deep.equal([undefined, undefined]);
    });
  });

  it('has no failure in a namespace that is being deleted', async () => {
    const controllers = ['service-account', 'garbage-collector'] as const;
    await WorkloadWorld.run(
      [replicaSets],
      async ({ world, client }) => {
        const namespaces = client.resource('v1', 'namespaces');
        const metadata = { name: 'shop' };
        await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
        const sets = client.resource('apps/v1', 'replicasets', { namespace: 'shop' });
        await sets.create(replicaSet(0));
        await namespaces.delete('shop');
        await sets.patch('web', { spec: { replicas: 2 } });
        await world.until('it is seen', async () => {
          return (await sets.get('web')).status?.observedGeneration === 2;
        });
        await world.sleep(60_000);
        const { status } = await sets.get('web');
        expect(status).to.include({ replicas: 0 }).and.not.have.property('conditions');
      },
      { controllers },
    );
  });

  it('does not fight the deletion of its namespace', async () => {
    await run(async ({ world }) => {
      const namespaces = world.client.resource('v1', 'namespaces');
      await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
      const sets = world.client.resource('apps/v1', 'replicasets', { namespace: 'shop' });
      await sets.create(replicaSet(3));
      await world.until('pods', async () => (await sets.get('web')).status?.replicas === 3);
      await namespaces.delete('shop');
      await world.until('the namespace is gone', () => missing(namespaces.get('shop')));
    });
  });
});

describe('the controller of ReplicationControllers', () => {
  it('keeps the number of pods, and has no terminatingReplicas in its status', async () => {
    await run(async ({ world }) => {
      const controllers = world.client.resource('v1', 'replicationcontrollers', {
        namespace: 'default',
      });
      await controllers.create({
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: labels, template: { metadata: { labels }, spec: podSpec } },
      });
      await world.until('pods', async () => (await controllers.get('web')).status?.replicas === 2);
      await world.readyAll();
      await world.until('ready', async () => {
        return (await controllers.get('web')).status?.availableReplicas === 2;
      });
      expect((await controllers.get('web')).status).to.deep.equal({
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        observedGeneration: 1,
      });
      expect((await world.pods()).map((one) => controllerOf(one)?.kind)).to.deep.equal(
        Array(2).fill('ReplicationController'),
      );
      await world.until(
        'events',
        async () => (await world.events('SuccessfulCreate')).length === 2,
      );
      const [event] = await world.events('SuccessfulCreate');
      expect(event?.source?.component).to.equal('replication-controller');
    });
  });
});
