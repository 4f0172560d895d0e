import type { DeploymentSpec } from '../../../lib/types/index.ts';
import type { Scenario } from './scenario.ts';
import { RolloutPlace } from './rollout-place.ts';

const HOLD = { metadata: { finalizers: ['scenario.example.com/hold'] } };
const LET_GO = { metadata: { finalizers: null } };
const STATUS = { type: 'merge', subresource: 'status' } as const;
/** kube-controller-manager reads quotas from a cache. */
const QUOTA_SEEN_AFTER_MS = 2500;

function rolling(
  maxSurge: number | string,
  maxUnavailable: number | string,
): Partial<DeploymentSpec> {
  return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } };
}

function rollout(title: string, run: (at: RolloutPlace) => Promise<unknown>): Scenario {
  return { title: `rollout: ${title}`, run: (world) => run(new RolloutPlace(world)) };
}

async function limit(at: RolloutPlace, hard: Record<string, string>): Promise<() => Promise<void>> {
  const { client, namespace } = at.world;
  const quotas = client.resource('v1', 'resourcequotas', { namespace });
  const metadata = { name: 'few' };
  await quotas.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } });
  await at.world.sleep(QUOTA_SEEN_AFTER_MS);
  return async () => {
    await quotas.delete('few');
  };
}

/** Deployments, ReplicaSets and ReplicationControllers, with pods that become ready when the scenario says so. */
export const rollouts: readonly Scenario[] = [
  rollout('a Deployment gets a ReplicaSet and pods', async (at) => {
    await at.create('a', { minReadySeconds: 1 }, { annotations: { x: 'y' }, labels: { l: 'm' } });
    const made = await at.seen();
    return [made, await at.notes('ScalingReplicaSet'), await at.notes('SuccessfulCreate')];
  }),
  rollout('a second template, and the first one again', async (at) => {
    await at.create('a');
    const made = await at.seen();
    await at.image('b');
    const updated = await at.seen();
    const notes = await at.notes('ScalingReplicaSet');
    await at.image('a');
    const back = await at.seen();
    await at.image('b');
    return [made, updated, notes, back, await at.seen()];
  }),
  rollout('one that is stuck is scaled in proportion, and rolled over', async (at) => {
    await at.create('a', { replicas: 10, ...rolling(3, 2) });
    await at.seen();
    await at.image('bad');
    const stuck = await at.seen();
    await at.patch({ replicas: 15 });
    const up = await at.seen();
    await at.patch({ replicas: 7 });
    const down = await at.seen();
    await at.image('bad2');
    return [stuck, up, down, await at.seen()];
  }),
  rollout('without surge', async (at) => {
    await at.create('a', { replicas: 4, ...rolling(0, '100%') });
    await at.seen();
    await at.image('b');
    return await at.seen();
  }),
  rollout('percents that are rounded to nothing', async (at) => {
    await at.create('a', { replicas: 2, ...rolling('0%', '1%') });
    await at.seen();
    await at.image('bad');
    return await at.seen();
  }),
  rollout('Recreate waits until the old pods are gone', async (at) => {
    await at.create('a', { strategy: { type: 'Recreate' } });
    const made = await at.seen();
    const [held = ''] = await at.podNames();
    await at.pods.patch(held, HOLD);
    await at.image('b');
    const waits = await at.seen();
    await at.pods.patch(held, LET_GO);
    return [made, waits, await at.seen()];
  }),
  rollout('a pause', async (at) => {
    await at.create('a', rolling(1, 1));
    await at.seen();
    await at.patch({ paused: true });
    const paused = await at.seen();
    await at.image('b');
    await at.patch({ replicas: 5 });
    const scaled = await at.seen();
    await at.patch({ paused: null });
    return [paused, scaled, await at.seen()];
  }),
  rollout('one that begins paused', async (at) => {
    await at.create('a', { paused: true });
    const paused = await at.seen();
    await at.patch({ paused: null });
    return [paused, await at.seen()];
  }),
  rollout('a pause in its middle, with scaling', async (at) => {
    await at.create('a', { replicas: 10, ...rolling(3, 2) });
    await at.seen();
    await at.image('bad');
    await at.seen();
    await at.patch({ paused: true });
    const paused = await at.seen();
    await at.patch({ replicas: 20 });
    const scaled = await at.seen();
    await at.patch({ replicas: 0 });
    return [paused, scaled, await at.seen()];
  }),
  rollout('the progress deadline passes, and a good template comes', async (at) => {
    await at.create('bad', { progressDeadlineSeconds: 3 });
    await at.world.sleep(5500);
    const late = await at.seen();
    await at.image('b');
    return [late, await at.seen()];
  }),
  rollout('no progress deadline, and one that is set later', async (at) => {
    await at.create('a', { progressDeadlineSeconds: 2 ** 31 - 1 });
    const without = await at.seen();
    await at.patch({ progressDeadlineSeconds: 600 });
    return [without, await at.seen()];
  }),
  rollout('a limit of the revision history', async (at) => {
    await at.create('a', { replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ['b', 'c', 'd']) {
      await at.seen();
      await at.image(image);
    }
    const last = await at.seen();
    await at.patch({ revisionHistoryLimit: 0 });
    return [last, await at.seen()];
  }),
  rollout('replicas from 0 to 2 and back, with new templates', async (at) => {
    await at.create('a', { replicas: 0 });
    const zero = await at.seen();
    await at.patch({ replicas: 2 });
    const two = await at.seen();
    await at.image('b');
    const updated = await at.seen();
    await at.patch({ replicas: 0 });
    const again = await at.seen();
    await at.image('c');
    return [zero, two, updated, again, await at.seen()];
  }),
  rollout('a ReplicaSet that was there is adopted', async (at) => {
    await at.createSet('by-hand', 'a', { replicas: 2 });
    const set = await at.seen();
    await at.create('a');
    const adopted = await at.seen();
    await at.image('b');
    return [set, adopted, await at.seen()];
  }),
  rollout('a ReplicaSet that loses its labels is released', async (at) => {
    await at.create('a');
    await at.seen();
    const { metadata } = await at.set('a');
    await at.sets.patch(metadata.name, { metadata: { labels: { app: 'other' } } });
    await at.world.sleep(500);
    await at.sets.delete(metadata.name);
    return await at.seen();
  }),
  rollout('orphans of a deleted Deployment are adopted by the next one', async (at) => {
    await at.create('a');
    await at.seen();
    await at.deployments.delete('web', { propagationPolicy: 'Orphan' });
    const orphans = await at.seen();
    await at.create('a', { replicas: 4 });
    return [orphans, await at.seen()];
  }),
  rollout('the ReplicaSet is deleted', async (at) => {
    await at.create('a');
    await at.seen();
    await at.sets.delete((await at.set('a')).metadata.name);
    return await at.seen();
  }),
  rollout('the ReplicaSet is scaled, and its annotations are removed', async (at) => {
    await at.create('a');
    await at.seen();
    const { metadata } = await at.set('a');
    await at.sets.patch(metadata.name, { spec: { replicas: 7 } });
    const scaled = await at.seen();
    const prefix = 'deployment.kubernetes.io';
    const annotations = { [`${prefix}/desired-replicas`]: null, [`${prefix}/max-replicas`]: null };
    await at.sets.patch(metadata.name, { metadata: { annotations } });
    const removed = await at.seen();
    await at.patch({ replicas: 4 });
    return [scaled, removed, await at.seen()];
  }),
  rollout('annotations of the Deployment, and its revision', async (at) => {
    await at.create('a');
    await at.seen();
    const revision = { 'deployment.kubernetes.io/revision': '7' };
    await at.deployments.patch('web', { metadata: { annotations: { a: '1', ...revision } } });
    const annotated = await at.seen();
    await at.deployments.patch('web', { metadata: { annotations: { a: null, b: '2' } } });
    return [annotated, await at.seen()];
  }),
  rollout('statuses that somebody writes', async (at) => {
    await at.create('a');
    await at.seen();
    const conditions = [{ type: 'Custom', status: 'True', reason: 'R', message: 'm' }];
    await at.deployments.patch('web', { status: { replicas: 9, conditions } }, STATUS);
    const righted = await at.seen();
    const status = { replicas: 9, readyReplicas: 8, conditions };
    await at.sets.patch((await at.set('a')).metadata.name, { status }, STATUS);
    return [righted, await at.seen()];
  }),
  rollout('pods that are not ready any more go first', async (at) => {
    await at.create('a', rolling(1, 1));
    await at.seen();
    const [one = '', other = ''] = await at.podNames();
    at.kubeletRuns = false;
    await at.ready(one, false);
    await at.ready(other, false);
    const lost = await at.seen();
    await at.image('b');
    const waits = await at.seen();
    at.kubeletRuns = true;
    return [lost, waits, await at.seen()];
  }),
  rollout('pods that have ended are replaced', async (at) => {
    await at.create('a');
    await at.seen();
    const [one = '', other = ''] = await at.podNames();
    await at.pods.patch(one, { status: { phase: 'Failed' } }, STATUS);
    await at.pods.patch(other, { status: { phase: 'Succeeded' } }, STATUS);
    return await at.seen();
  }),
  rollout('a quota refuses the ReplicaSet', async (at) => {
    await limit(at, { 'count/replicasets.apps': '0' });
    await at.create('a');
    await at.world.sleep(1000);
    return [await at.seen(), await at.notes('ReplicaSetCreateError')];
  }),
  rollout('a quota refuses pods, and is removed', async (at) => {
    const free = await limit(at, { pods: '2' });
    await at.create('a');
    await at.world.sleep(1500);
    const refused = await at.seen();
    await free();
    // After a back-off, which has become long.
    await at.world.until('all pods', async () => (await at.podNames()).length === 3);
    return [refused, await at.seen()];
  }),
  rollout('expressions in the selector', async (at) => {
    const matchExpressions = [{ key: 'app', operator: 'In', values: ['web', 'x'] }];
    await at.create('a', { selector: { matchExpressions } });
    return await at.seen();
  }),
  rollout('a ReplicaSet that is scaled', async (at) => {
    await at.createSet('front', 'a', { minReadySeconds: 2 });
    const made = await at.seen();
    await at.sets.patch('front', { spec: { replicas: 1 } });
    const one = await at.seen();
    await at.sets.patch('front', { spec: { replicas: 0 } });
    return [made, one, await at.seen()];
  }),
  rollout('a ReplicaSet adopts pods, and releases one', async (at) => {
    await at.createPod('one', { app: 'web' });
    await at.createSet('front', 'a', { replicas: 1 });
    const adopted = await at.seen();
    await at.pods.patch('one', { metadata: { labels: { app: 'x' } } });
    return [adopted, await at.seen()];
  }),
  rollout('a ReplicaSet whose template has more metadata', async (at) => {
    const metadata = {
      labels: { app: 'web', more: '1' },
      annotations: { z: '1' },
      finalizers: ['scenario.example.com/hold'],
    };
    const template = { metadata, spec: { containers: [{ name: 'c', image: 'a' }] } };
    await at.createSet('front', 'a', { replicas: 2, template });
    const made = await at.seen();
    await at.sets.patch('front', { spec: { template: { metadata: { labels: { more: '2' } } } } });
    const relabelled = await at.seen();
    await at.sets.patch('front', { spec: { replicas: 1 } });
    const smaller = await at.seen();
    for (const name of await at.podNames()) await at.pods.patch(name, LET_GO);
    return [made, relabelled, smaller];
  }),
  rollout('a ReplicationController', async (at) => {
    await at.controllers.create({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { app: 'web' },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'a' }] },
        },
      },
    });
    const made = await at.seen();
    await at.controllers.patch('web', { spec: { replicas: 1 } });
    const one = await at.seen();
    const notes = [await at.notes('SuccessfulCreate'), await at.notes('SuccessfulDelete')];
    await at.controllers.delete('web', { propagationPolicy: 'Background' });
    return [made, one, notes, await at.seen()];
  }),
];
