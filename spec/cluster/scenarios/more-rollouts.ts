import type { DeploymentSpec } from '../../../lib/types/index.ts';
import { outcome } from './scenario-world.ts';
import { inOrder, type Scenario } from './scenario.ts';
import { RolloutPlace } from './rollout-place.ts';

const HELD = 'scenario.example.com/hold';
const HOLD = { metadata: { finalizers: [HELD] } };
const REVISION = 'deployment.kubernetes.io/revision';

type Amount = number | string;

function rolling(maxSurge: Amount, maxUnavailable: Amount): Partial<DeploymentSpec> {
  return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } };
}

function rollout(title: string, run: (at: RolloutPlace) => Promise<unknown>): Scenario {
  return { title: `rollout: ${title}`, run: (world) => run(new RolloutPlace(world)) };
}

/** How far a rollout comes whose new pods never become ready, and when the number of replicas changes then. */
const STUCK: readonly (readonly [
  replicas: number,
  surge: Amount,
  unavailable: Amount,
  then: number,
])[] = [
  [10, '25%', '25%', 20],
  [3, '25%', '25%', 1],
  [1, '25%', '25%', 2],
  [5, 0, 1, 3],
  [7, '30%', '10%', 11],
  [4, '50%', '50%', 5],
  [1, 0, 1, 4],
  [6, '100%', 0, 10],
  [9, 3, 3, 6],
];

async function withoutOld(at: RolloutPlace): Promise<void> {
  await at.world.until('no sets', async () => (await at.sets.list()).items.length === 0);
  await at.world.until('no pods', async () => (await at.podNames()).length === 0);
}

/** More of Deployments: limits, the middle of rollouts, histories, deletions, and what others write. */
export const moreRollouts: readonly Scenario[] = [
  ...STUCK.map(([replicas, surge, unavailable, then]) =>
    rollout(
      `${replicas} replicas, surge ${surge}, ${unavailable} unavailable, then ${then}`,
      async (at) => {
        await at.create('a', { replicas, ...rolling(surge, unavailable) });
        await at.seen();
        await at.image('bad');
        const stuck = await at.seen();
        await at.patch({ replicas: then });
        return [stuck, await at.seen()];
      },
    ),
  ),
  rollout('neither surge nor unavailable pods are refused', async (at) =>
    outcome(at.create('a', rolling(0, 0))),
  ),
  rollout('more than 100% unavailable is refused', async (at) =>
    outcome(at.create('a', rolling('200%', '101%'))),
  ),
  rollout('the first image again in the middle', async (at) => {
    await at.create('a', { replicas: 6, ...rolling(2, 2) });
    await at.seen();
    await at.image('bad');
    await at.seen();
    await at.image('a');
    return [await at.seen(), await at.notes('ScalingReplicaSet')];
  }),
  rollout('three images that never become ready', async (at) => {
    await at.create('a', { replicas: 8, ...rolling('50%', '25%') });
    await at.seen();
    for (const image of ['bad', 'bad2', 'bad3']) {
      await at.image(image);
      await at.seen();
    }
    return await at.seen();
  }),
  rollout('scaled in proportion over three ReplicaSets', async (at) => {
    await at.create('a', { replicas: 10, ...rolling(4, 2) });
    await at.seen();
    await at.image('bad');
    await at.seen();
    await at.patch({ paused: true });
    await at.image('bad2');
    await at.patch({ paused: null });
    await at.seen();
    await at.patch({ replicas: 30 });
    const up = await at.seen();
    await at.patch({ replicas: 5 });
    return [up, await at.seen()];
  }),
  rollout('to zero in the middle, and up again', async (at) => {
    await at.create('a', { replicas: 4, ...rolling(2, 1) });
    await at.seen();
    await at.image('bad');
    await at.seen();
    await at.patch({ replicas: 0 });
    const zero = await at.seen();
    await at.patch({ replicas: 3 });
    return [zero, await at.seen()];
  }),
  rollout('pods of the middle become ready at last', async (at) => {
    await at.create('a', { replicas: 4, ...rolling(1, 1) });
    await at.seen();
    at.kubeletRuns = false;
    await at.image('b');
    const waits = await at.seen();
    at.kubeletRuns = true;
    return [waits, await at.seen()];
  }),
  rollout('minReadySeconds stops it', async (at) => {
    await at.create('a', { replicas: 4, ...rolling(1, 1) });
    await at.seen();
    await at.patch({ minReadySeconds: 3000, progressDeadlineSeconds: 4000 });
    const changed = await at.seen();
    await at.image('b');
    const waits = await at.seen();
    await at.patch({ minReadySeconds: 0 });
    return [changed, waits, await at.seen()];
  }),
  rollout('Recreate with an image that never becomes ready, and back', async (at) => {
    await at.create('a', { strategy: { type: 'Recreate' } });
    await at.seen();
    await at.image('bad');
    const stuck = await at.seen();
    await at.image('a');
    return [stuck, await at.seen(), await at.notes('ScalingReplicaSet')];
  }),
  rollout('Recreate is paused, and scaled', async (at) => {
    await at.create('a', { strategy: { type: 'Recreate' } });
    await at.seen();
    await at.patch({ paused: true, replicas: 5 });
    await at.image('b');
    const paused = await at.seen();
    await at.patch({ paused: null });
    return [paused, await at.seen()];
  }),
  rollout('Recreate ignores pods that have ended', async (at) => {
    await at.create('a', { replicas: 2, strategy: { type: 'Recreate' } });
    await at.seen();
    const [name = ''] = await at.podNames();
    const status = { type: 'merge', subresource: 'status' } as const;
    await at.pods.patch(name, HOLD);
    await at.pods.patch(name, { status: { phase: 'Failed' } }, status);
    await at.seen();
    await at.image('b');
    return await at.seen();
  }),
  rollout('from Recreate to rolling, and back', async (at) => {
    await at.create('a', { strategy: { type: 'Recreate' } });
    await at.seen();
    await at.patch({ strategy: { $retainKeys: ['type'], type: 'RollingUpdate' } });
    await at.image('b');
    const rolled = await at.seen();
    await at.patch({ strategy: { $retainKeys: ['type'], type: 'Recreate' } });
    await at.image('c');
    return [rolled, await at.seen()];
  }),
  rollout('paused with a new template, which changes again', async (at) => {
    await at.create('a');
    await at.seen();
    await at.patch({ paused: true });
    await at.image('b');
    await at.seen();
    await at.image('c');
    const paused = await at.seen();
    await at.patch({ paused: null });
    return [paused, await at.seen()];
  }),
  rollout('paused, and resumed without a change', async (at) => {
    await at.create('a');
    await at.seen();
    await at.patch({ paused: true });
    await at.seen();
    await at.patch({ paused: null });
    return await at.seen();
  }),
  rollout('a pause holds the progress deadline', async (at) => {
    await at.create('bad', { progressDeadlineSeconds: 4 });
    await at.world.sleep(500);
    await at.patch({ paused: true });
    await at.world.sleep(5500);
    const paused = await at.seen();
    await at.patch({ paused: null });
    await at.world.sleep(5500);
    return [paused, await at.seen()];
  }),
  rollout('the deadline has passed, and the pods become ready', async (at) => {
    at.kubeletRuns = false;
    await at.create('a', { progressDeadlineSeconds: 2 });
    await at.world.sleep(4500);
    const late = await at.seen();
    at.kubeletRuns = true;
    return [late, await at.seen()];
  }),
  rollout('the deadline has passed, and it is scaled', async (at) => {
    await at.create('bad', { progressDeadlineSeconds: 2 });
    await at.world.sleep(4500);
    await at.seen();
    await at.patch({ replicas: 5 });
    return await at.seen();
  }),
  rollout('the deadline has passed, and becomes longer', async (at) => {
    await at.create('bad', { progressDeadlineSeconds: 2 });
    await at.world.sleep(4500);
    await at.seen();
    await at.patch({ progressDeadlineSeconds: 600 });
    return await at.seen();
  }),
  rollout('the deadline of one that was complete does not pass', async (at) => {
    await at.create('a', { progressDeadlineSeconds: 2 });
    await at.seen();
    const [name = ''] = await at.podNames();
    at.kubeletRuns = false;
    await at.ready(name, false);
    await at.world.sleep(4500);
    return await at.seen();
  }),
  rollout('a deadline that is shorter than minReadySeconds is refused', async (at) =>
    outcome(at.create('a', { progressDeadlineSeconds: 5, minReadySeconds: 5 })),
  ),
  rollout('no history at all', async (at) => {
    await at.create('a', { replicas: 1, revisionHistoryLimit: 0 });
    await at.seen();
    await at.image('b');
    await at.seen();
    await at.image('c');
    return await at.seen();
  }),
  rollout('old ReplicaSets with pods are no history', async (at) => {
    await at.create('a', { replicas: 4, revisionHistoryLimit: 0, ...rolling(1, 1) });
    await at.seen();
    await at.image('bad');
    await at.seen();
    await at.image('bad2');
    return await at.seen();
  }),
  rollout('the cause of a change comes with the revision', async (at) => {
    const cause = (text: string): object => ({
      metadata: { annotations: { 'kubernetes.io/change-cause': text } },
    });
    await at.create('a', { replicas: 1 });
    await at.deployments.patch('web', cause('first'));
    await at.seen();
    await at.image('b');
    await at.deployments.patch('web', cause('second'));
    const second = await at.seen();
    await at.image('a');
    await at.deployments.patch('web', cause('first again'));
    return [second, await at.seen()];
  }),
  rollout('a new annotation of the template is a new revision', async (at) => {
    await at.create('a', { replicas: 1 });
    await at.seen();
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' };
    await at.patch({ template: { metadata: { annotations } } });
    await at.seen();
    const { items } = await at.sets.list();
    const of = items.map(({ metadata, spec }) => [metadata.annotations?.[REVISION], spec.replicas]);
    return inOrder(of);
  }),
  rollout('a new label of the template', async (at) => {
    await at.create('a', { replicas: 1 });
    await at.seen();
    await at.patch({ template: { metadata: { labels: { more: '1' } } } });
    await at.seen();
    const { items } = await at.sets.list();
    const labels = items.map(({ metadata, spec }) => [
      metadata.labels?.['more'],
      spec.selector.matchLabels?.['more'],
      spec.replicas,
    ]);
    return inOrder(labels);
  }),
  rollout('the name of its ReplicaSet is taken by another', async (at) => {
    await at.create('a', { replicas: 1 });
    await at.seen();
    const { metadata } = await at.set('a');
    await at.deployments.delete('web', { propagationPolicy: 'Background' });
    await withoutOld(at);
    await at.createSet(metadata.name, 'b', {
      replicas: 0,
      selector: { matchLabels: { of: 'b' } },
      template: {
        metadata: { labels: { of: 'b' } },
        spec: { containers: [{ name: 'c', image: 'b' }] },
      },
    });
    await at.create('a', { replicas: 1 });
    await at.seen();
    const { items } = await at.sets.list();
    const [{ status } = {}] = (await at.deployments.list()).items;
    return [
      status?.collisionCount,
      inOrder(items.map(({ metadata: { name }, spec }) => [name === metadata.name, spec.replicas])),
    ];
  }),
  rollout('deleted in the background', async (at) => {
    await at.create('a');
    await at.seen();
    await at.deployments.delete('web', { propagationPolicy: 'Background' });
    await withoutOld(at);
    return await at.seen();
  }),
  rollout('deleted as orphans: the ReplicaSet goes on', async (at) => {
    await at.create('a');
    await at.seen();
    await at.deployments.delete('web', { propagationPolicy: 'Orphan' });
    await at.world.untilGone('web', 'apps/v1/deployments');
    const { metadata } = await at.set('a');
    await at.sets.patch(metadata.name, { spec: { replicas: 1 } });
    return await at.seen();
  }),
  rollout('the finalizer of its own keeps it, and it still rolls out', async (at) => {
    await at.create('a', { replicas: 1 });
    await at.seen();
    await at.deployments.patch('web', HOLD);
    await at.deployments.delete('web', { propagationPolicy: 'Background' });
    await at.seen();
    await at.patch({ replicas: 3 });
    return await at.seen();
  }),
  rollout('the number of replicas is 1 if nothing is said', async (at) => {
    const { deployments } = at;
    await deployments.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'a' }] },
        },
      },
    });
    return await at.seen();
  }),
  rollout('pods that are refused are a condition of the Deployment', async (at) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    await at.world.global('v1/namespaces').patch(at.world.namespace, { metadata: { labels } });
    await at.world.sleep(2500);
    const spec = { hostNetwork: true, containers: [{ name: 'c', image: 'a' }] };
    await at.create('a', { template: { metadata: { labels: { app: 'web' } }, spec } });
    await at.world.sleep(1500);
    return await at.seen();
  }),
  rollout('the service account is missing, and comes', async (at) => {
    const spec = { serviceAccountName: 'some', containers: [{ name: 'c', image: 'a' }] };
    await at.create('a', { template: { metadata: { labels: { app: 'web' } }, spec } });
    await at.world.sleep(1500);
    const without = await at.seen();
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'some' } };
    await at.world.of('v1/serviceaccounts').create(body);
    await at.world.until('all pods', async () => (await at.podNames()).length === 3);
    return [without, await at.seen()];
  }),
  rollout('a selector that is empty selects all', async (at) => {
    return await outcome(at.create('a', { selector: {} }));
  }),
  rollout('the selector may not change', async (at) => {
    await at.create('a', { replicas: 0 });
    return await outcome(at.patch({ selector: { matchLabels: { more: 'x' } } }));
  }),
  rollout('two ReplicaSets of one template: the older one is taken', async (at) => {
    await at.createSet('older', 'a', { replicas: 1 });
    await at.world.sleep(1500);
    await at.createSet('newer', 'a', { replicas: 1 });
    await at.seen();
    await at.create('a', { replicas: 2 });
    return await at.seen();
  }),
  rollout('labels of the Deployment are not those of its ReplicaSet', async (at) => {
    await at.create('a', { replicas: 1 }, { labels: { mine: 'x' } });
    await at.seen();
    await at.deployments.patch('web', { metadata: { labels: { mine: 'y' } } });
    return await at.seen();
  }),
  rollout('a ReplicaSet of another owner is left alone', async (at) => {
    const owner = await at.world.map('owner');
    await at.createSet('by-hand', 'a', { replicas: 1 });
    const { apiVersion, kind, metadata } = owner;
    const { name, uid } = metadata;
    const reference = { apiVersion, kind, name, uid, controller: true };
    await at.sets.patch('by-hand', { metadata: { ownerReferences: [reference] } });
    await at.world.sleep(500);
    await at.create('a', { replicas: 1 });
    return await at.seen();
  }),
  rollout('the scale of a Deployment', async (at) => {
    await at.create('a', { replicas: 1 });
    await at.seen();
    const scale = { type: 'merge', subresource: 'scale' } as const;
    await at.deployments.patch('web', { spec: { replicas: 3 } }, scale);
    return [await at.seen(), await at.notes('ScalingReplicaSet')];
  }),
];
