import { expect } from 'chai';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { ownerReferenceTo } from '../../../lib/controller/helpers/owner-references.ts';
import { controllerOf } from '../../../lib/meta/object.ts';
import { deployment, labels, Rollouts } from './deployment-world.ts';
import { missing } from '../support/virtual-cluster-world.ts';
import { WorkloadWorld } from '../support/workload-world.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const rollingUpdate = (maxSurge: number | string, maxUnavailable: number | string): object => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const recreate = { strategy: { type: 'Recreate' } } as const;

function never(): never {
  throw new Error('there is no ReplicaSet');
}

describe('the controller of Deployments', () => {
  it('makes a ReplicaSet of the template, and reports when its pods are available', async () => {
    await Rollouts.run(async (all) => {
      const annotations = {
        team: 'shop',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      };
      const created = deployment('web:1', { minReadySeconds: 5 });
      await all.deployments.create({ ...created, metadata: { name: 'web', annotations } });
      await all.untilStatus({ replicas: 4, updatedReplicas: 4, unavailableReplicas: 4 });
      const { metadata } = await all.get();
      const set = await all.set('web:1');
      const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
      expect(hash).to.match(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      expect(set?.metadata.name).to.equal(`web-${hash}`);
      expect(set?.metadata.labels).to.deep.equal({ ...labels, 'pod-template-hash': hash });
      expect(set?.spec.selector.matchLabels).to.deep.equal({
        ...labels,
        'pod-template-hash': hash,
      });
      expect(set?.spec.minReadySeconds).to.equal(5);
      expect(set && controllerOf(set)?.uid).to.equal(metadata.uid);
      expect(set?.metadata.annotations).to.deep.equal({
        team: 'shop',
        [REVISION]: '1',
        'deployment.kubernetes.io/desired-replicas': '4',
        'deployment.kubernetes.io/max-replicas': '5',
      });
      expect(metadata.annotations?.[REVISION]).to.equal('1');
      expect(await all.condition('Available')).to.include({
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      });
      expect(await all.condition('Progressing')).to.include({
        status: 'True',
        reason: 'ReplicaSetUpdated',
        message: `ReplicaSet "web-${hash}" is progressing.`,
      });
      await all.untilDone();
      expect(await all.condition('Available')).to.include({
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      });
      expect(await all.condition('Progressing')).to.include({
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      });
      const { conditions, ...counts } = (await all.get()).status ?? {};
      expect(conditions).to.have.length(2);
      expect(counts).to.deep.equal({
        observedGeneration: 1,
        replicas: 4,
        updatedReplicas: 4,
        readyReplicas: 4,
        availableReplicas: 4,
        terminatingReplicas: 0,
      });
      await all.world.until('an event', async () => {
        return (await all.notes('ScalingReplicaSet')).length > 0;
      });
      expect(await all.notes('ScalingReplicaSet')).to.deep.equal([
        `Scaled up replica set web-${hash} from 0 to 4`,
      ]);
    });
  });

  it('writes nothing once a rollout is complete', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      await all.world.sleep(10_000);
      const before = await all.get();
      const set = await all.set('web:1');
      await all.world.sleep(300_000);
      expect((await all.get()).metadata.resourceVersion).to.equal(before.metadata.resourceVersion);
      expect((await all.set('web:1'))?.metadata.resourceVersion).to.equal(
        set?.metadata.resourceVersion,
      );
    });
  });

  for (const [surge, unavailable] of [
    [1, 1],
    [0, 1],
    [2, 0],
    ['25%', '25%'],
    ['0%', '1%'],
  ] as const) {
    it(`keeps to maxSurge ${surge} and maxUnavailable ${unavailable} in a rollout`, async () => {
      await Rollouts.run(async (all) => {
        await all.rolledOut('web:1', rollingUpdate(surge, unavailable));
        await all.setImage('web:2');
        const limits = { most: 4, fewest: 4 };
        await all.untilDone(async () => {
          const pods = (await all.world.pods()).filter(
            ({ metadata }) => metadata.deletionTimestamp === undefined,
          );
          const ready = pods.filter(({ status }) =>
            status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'),
          );
          limits.most = Math.max(limits.most, pods.length);
          limits.fewest = Math.min(limits.fewest, ready.length);
        });
        const most = { 1: 5, 0: 4, 2: 6, '25%': 5, '0%': 4 }[surge];
        const fewest = { 1: 3, 0: 4, '25%': 3, '1%': 3 }[unavailable];
        expect(limits).to.deep.equal({ most, fewest });
        expect(await all.sizes()).to.deep.equal({ 'web:1': 0, 'web:2': 4 });
        expect((await all.get()).metadata.annotations?.[REVISION]).to.equal('2');
      });
    });
  }

  it('rolls over to a third template in the middle of a rollout, and removes pods first that are not available', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', rollingUpdate(1, 1));
      await all.setImage('web:2');
      await all.untilSizes({ 'web:1': 3, 'web:2': 2 });
      await all.setImage('web:3');
      await all.untilSizes({ 'web:1': 3, 'web:2': 0, 'web:3': 2 });
      await all.untilDone();
      expect(await all.sizes()).to.deep.equal({ 'web:1': 0, 'web:2': 0, 'web:3': 4 });
    });
  });

  it('makes an old ReplicaSet the newest when its template comes back, and keeps its revisions', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      await all.setImage('web:2');
      await all.untilDone();
      await all.setImage('web:1');
      await all.untilDone();
      expect(await all.sizes()).to.deep.equal({ 'web:1': 4, 'web:2': 0 });
      expect((await all.set('web:1'))?.metadata.annotations).to.include({
        [REVISION]: '3',
        'deployment.kubernetes.io/revision-history': '1',
      });
      expect((await all.get()).metadata.annotations?.[REVISION]).to.equal('3');
    });
  });

  it('shares out a scaling in the middle of a rollout', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', { replicas: 10, ...rollingUpdate(3, 2) });
      await all.setImage('web:2');
      await all.untilSizes({ 'web:1': 8, 'web:2': 5 });
      await all.deployments.patch('web', { spec: { replicas: 15 } });
      await all.untilSizes({ 'web:1': 11, 'web:2': 7 });
      await all.deployments.patch('web', { spec: { replicas: 5 } });
      await all.untilSizes({ 'web:1': 5, 'web:2': 3 });
      await all.untilDone();
      expect(await all.sizes()).to.deep.equal({ 'web:1': 0, 'web:2': 5 });
    });
  });

  it('scales its only ReplicaSet, and notes its size there', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      await all.deployments.patch('web', { spec: { replicas: 6 } });
      await all.untilSizes({ 'web:1': 6 });
      const set = await all.set('web:1');
      expect(set?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas']).to.equal(
        '6',
      );
      await all.untilDone();
      expect(await all.condition('Progressing')).to.include({ reason: 'NewReplicaSetAvailable' });
      await all.deployments.patch('web', { spec: { replicas: 0 } });
      await all.untilStatus({ replicas: 0, observedGeneration: 3 });
      const name = set?.metadata.name;
      await all.world.until('events', async () => {
        return (await all.notes('ScalingReplicaSet')).length === 3;
      });
      expect(await all.notes('ScalingReplicaSet')).to.have.members([
        `Scaled up replica set ${name} from 0 to 4`,
        `Scaled up replica set ${name} from 4 to 6`,
        `Scaled down replica set ${name} from 6 to 0`,
      ]);
    });
  });

  it('with Recreate makes no new pod before the old ones are gone', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', { replicas: 2, ...recreate });
      const [held] = await all.world.pods();
      const pods = all.world.client.resource('v1', 'pods', { namespace: 'default' });
      const name = held?.metadata.name ?? '';
      await pods.patch(name, { metadata: { finalizers: ['example.com/hold'] } });
      await all.setImage('web:2');
      await all.untilStatus({ observedGeneration: 2, replicas: 0, terminatingReplicas: 1 });
      await all.world.sleep(60_000);
      expect(await all.sizes()).to.deep.equal({ 'web:1': 0 });
      await pods.patch(name, { metadata: { finalizers: null } });
      await all.untilDone();
      expect(await all.sizes()).to.deep.equal({ 'web:1': 0, 'web:2': 2 });
    });
  });

  it('does nothing to a paused rollout but scale it, and goes on when it is resumed', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', rollingUpdate(1, 1));
      await all.deployments.patch('web', { spec: { paused: true } });
      expect(await all.untilReason('Progressing', 'DeploymentPaused')).to.include({
        status: 'Unknown',
        message: 'Deployment is paused',
      });
      await all.setImage('web:2');
      await all.deployments.patch('web', { spec: { replicas: 6 } });
      await all.untilSizes({ 'web:1': 6 });
      await all.untilStatus({ observedGeneration: 4, replicas: 6, updatedReplicas: 0 });
      await all.world.sleep(100_000);
      expect(await all.sizes()).to.deep.equal({ 'web:1': 6 });
      await all.deployments.patch('web', { spec: { paused: null } });
      await all.untilDone();
      expect(await all.sizes()).to.deep.equal({ 'web:1': 0, 'web:2': 6 });
    });
  });

  it('says that a rollout has made no progress for progressDeadlineSeconds, and goes on with it', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', { ...rollingUpdate(1, 0), progressDeadlineSeconds: 60 });
      await all.setImage('web:2');
      await all.untilStatus({ updatedReplicas: 1 });
      const beganMs = all.world.world.runtime.wallMs();
      const late = await all.untilReason('Progressing', 'ProgressDeadlineExceeded');
      expect(late.status).to.equal('False');
      expect(late.message).to.match(/^ReplicaSet "web-\w+" has timed out progressing\.$/);
      const tookMs = all.world.world.runtime.wallMs() - beganMs;
      expect(tookMs).to.be.within(60_000, 62_000);
      const { metadata } = await all.get();
      await all.world.sleep(100_000);
      expect((await all.get()).metadata.resourceVersion).to.equal(metadata.resourceVersion);
      await all.deployments.patch('web', { spec: { paused: true } });
      await all.untilStatus({ observedGeneration: 3 });
      expect((await all.condition('Progressing'))?.reason).to.equal('ProgressDeadlineExceeded');
      await all.deployments.patch('web', { spec: { paused: false } });
      await all.untilDone();
      expect((await all.condition('Progressing'))?.reason).to.equal('NewReplicaSetAvailable');
    });
  });

  it('keeps as many old ReplicaSets as revisionHistoryLimit says, the newest', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', { replicas: 1, revisionHistoryLimit: 1 });
      for (const image of ['web:2', 'web:3']) {
        await all.setImage(image);
        await all.untilDone();
      }
      await all.untilSizes({ 'web:2': 0, 'web:3': 1 });
    });
  });

  it('takes another name when the one of its ReplicaSet is taken', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1', { replicas: 1 });
      const taken = (await all.set('web:1'))?.metadata.name ?? '';
      await all.deployments.delete('web', { propagationPolicy: 'Foreground' });
      await all.world.until('it is gone', () => missing(all.deployments.get('web')));
      const other = { containers: [{ name: 'other', image: 'other' }] };
      await all.sets.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: taken },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'other' } },
          template: { metadata: { labels: { app: 'other' } }, spec: other },
        },
      });
      await all.rolledOut('web:1', { replicas: 1 });
      expect((await all.get()).status?.collisionCount).to.equal(1);
      expect((await all.set('web:1'))?.metadata.name).not.to.equal(taken);
    });
  });

  it('adopts a ReplicaSet that it selects, and releases one that it does not select any more', async () => {
    await Rollouts.run(async (all) => {
      const { spec } = deployment('web:1');
      await all.sets.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'by-hand', labels },
        spec: { replicas: 2, selector: spec.selector, template: spec.template },
      });
      const { metadata } = await all.deployments.create(deployment('web:1'));
      await all.untilSizes({ 'web:1': 4 });
      const adopted = await all.sets.get('by-hand');
      expect(controllerOf(adopted)?.uid).to.equal(metadata.uid);
      expect(adopted.metadata.annotations?.[REVISION]).to.equal('1');
      await all.sets.patch('by-hand', { metadata: { labels: { app: 'other' } } });
      await all.world.until(
        'another ReplicaSet',
        async () => (await all.sets.list()).items.length === 2,
      );
      expect(controllerOf(await all.sets.get('by-hand'))).to.equal(undefined);
    });
  });

  it('takes the oldest of several ReplicaSets with its template', async () => {
    await Rollouts.run(async (all) => {
      const { spec } = deployment('web:1');
      for (const name of ['z-older', 'a-younger']) {
        await all.sets.create({
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: { name, labels },
          spec: { replicas: 0, selector: spec.selector, template: spec.template },
        });
        await all.world.sleep(2000);
      }
      await all.rolledOut('web:1');
      expect((await all.sets.get('z-older')).spec.replicas).to.equal(4);
      expect((await all.sets.get('a-younger')).spec.replicas).to.equal(0);
    });
  });

  it('adopts a ReplicaSet that comes later, as an old one', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      const { spec } = deployment('web:0');
      const { metadata } = await all.get();
      await all.sets.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'by-hand', labels },
        spec: { replicas: 0, selector: spec.selector, template: spec.template },
      });
      await all.world.until('it is adopted', async () => {
        return controllerOf(await all.sets.get('by-hand'))?.uid === metadata.uid;
      });
    });
  });

  it('with Recreate goes on when the last old pod is gone, whatever the ReplicaSet reports', async () => {
    await WorkloadWorld.run([deployments], async ({ world, client }) => {
      const inDefault = { namespace: 'default' };
      const all = client.resource('apps/v1', 'deployments', inDefault);
      const sets = client.resource('apps/v1', 'replicasets', inDefault);
      const pods = client.resource('v1', 'pods', inDefault);
      const count = async (): Promise<number> => (await sets.list()).items.length;
      await all.create(
        deployment('web:1', { replicas: 1, progressDeadlineSeconds: 2 ** 31 - 1, ...recreate }),
      );
      await world.until('a ReplicaSet', async () => (await count()) === 1);
      const [set] = (await sets.list()).items;
      await pods.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'old', labels, ownerReferences: [ownerReferenceTo(set ?? never())] },
        spec: deployment('web:1').spec.template.spec,
      });
      await all.patch('web', { spec: { template: deployment('web:2').spec.template } });
      await world.until('it is scaled down', async () => {
        return (await sets.get(set?.metadata.name ?? '')).spec.replicas === 0;
      });
      await world.sleep(60_000);
      expect(await count()).to.equal(1);
      await pods.delete('old');
      await world.until('a new one', async () => (await count()) === 2);
    });
  });

  it('says in a condition and an event that its ReplicaSet is refused, and tries seldom', async () => {
    await Rollouts.run(async (all) => {
      const quotas = all.world.client.resource('v1', 'resourcequotas', { namespace: 'default' });
      await quotas.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none' },
        spec: { hard: { 'count/replicasets.apps': '0' } },
      });
      await all.world.until('the quota counts', async () => {
        return (await quotas.get('none')).status?.hard !== undefined;
      });
      await all.deployments.create(deployment('web:1'));
      const refused = await all.untilReason('Progressing', 'ReplicaSetCreateError');
      expect(refused.status).to.equal('False');
      const text =
        /^Failed to create new replica set "(web-\w+)": replicasets\.apps "\1" is forbidden: exceeded quota: none, /;
      expect(refused.message).to.match(text);
      await all.world.until('an event', async () => {
        return (await all.notes('ReplicaSetCreateError')).length > 0;
      });
      expect((await all.notes('ReplicaSetCreateError'))[0]).to.match(text);
      await all.world.sleep(60_000);
      const { metadata } = await all.get();
      await all.world.sleep(100_000);
      expect((await all.get()).metadata.resourceVersion).to.equal(metadata.resourceVersion);
      await quotas.delete('none');
      await all.untilDone();
    });
  });

  it('has the condition of its ReplicaSet whose pods are refused', async () => {
    await Rollouts.run(async (all) => {
      const quotas = all.world.client.resource('v1', 'resourcequotas', { namespace: 'default' });
      await quotas.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few' },
        spec: { hard: { pods: '3' } },
      });
      await all.world.until('the quota counts', async () => {
        return (await quotas.get('few')).status?.hard !== undefined;
      });
      await all.deployments.create(deployment('web:1'));
      const failure = await all.untilReason('ReplicaFailure', 'FailedCreate');
      expect(failure).to.include({ status: 'True' });
      await quotas.patch('few', { spec: { hard: { pods: '9' } } });
      await all.untilDone();
      expect(await all.condition('ReplicaFailure')).to.equal(undefined);
    });
  });

  it('puts right a status that somebody has written over it', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      const { conditions } = (await all.get()).status ?? {};
      const status = { replicas: 7, availableReplicas: 1, conditions: [] };
      await all.deployments.patch('web', { status }, { type: 'merge', subresource: 'status' });
      await all.untilStatus({ replicas: 4, availableReplicas: 4 });
      const types = (await all.get()).status?.conditions?.map(({ type }) => type);
      expect(types).to.have.members(conditions?.map(({ type }) => type) ?? []);
    });
  });

  it('passes minReadySeconds on without a rollout', async () => {
    await Rollouts.run(async (all) => {
      await all.rolledOut('web:1');
      await all.deployments.patch('web', { spec: { minReadySeconds: 7 } });
      await all.world.until('it is passed on', async () => {
        return (await all.set('web:1'))?.spec.minReadySeconds === 7;
      });
      expect(await all.sizes()).to.deep.equal({ 'web:1': 4 });
    });
  });

  it('has no failure in a namespace that is being deleted', async () => {
    const controllers = ['service-account', 'garbage-collector'] as const;
    await WorkloadWorld.run(
      [deployments],
      async ({ world, client }) => {
        const namespaces = client.resource('v1', 'namespaces');
        const metadata = { name: 'shop' };
        await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
        const all = client.resource('apps/v1', 'deployments', { namespace: 'shop' });
        await all.create(deployment('web:1', { paused: true }));
        await namespaces.delete('shop');
        await all.patch('web', { spec: { paused: false } });
        await world.until('it is seen', async () => {
          return (await all.get('web')).status?.observedGeneration === 2;
        });
        const { status } = await all.get('web');
        const reasons = status?.conditions?.map(({ reason }) => reason);
        expect(reasons).to.have.members(['DeploymentResumed', 'MinimumReplicasUnavailable']);
      },
      { controllers },
    );
  });

  it('does not fight the deletion of its namespace', async () => {
    await Rollouts.run(async ({ world }) => {
      const namespaces = world.client.resource('v1', 'namespaces');
      await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
      const all = world.client.resource('apps/v1', 'deployments', { namespace: 'shop' });
      await all.create(deployment('web:1'));
      await world.until('pods', async () => (await all.get('web')).status?.replicas === 4);
      await namespaces.delete('shop');
      await world.until('the namespace is gone', () => missing(namespaces.get('shop')));
    });
  });
});
