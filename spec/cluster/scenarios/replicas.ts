import type { PodSpec, PodTemplateSpec, ReplicaSetSpec } from '../../../lib/types/index.ts';
import { outcome } from './scenario-world.ts';
import { inOrder, type Scenario } from './scenario.ts';
import { RolloutPlace } from './rollout-place.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const HELD = 'scenario.example.com/hold';
const HOLD = { metadata: { finalizers: [HELD] } };
const LET_GO = { metadata: { finalizers: null } };
const STATUS = { type: 'merge', subresource: 'status' } as const;
const WEB = { app: 'web' };
/** kube-apiserver and kube-controller-manager read limits and quotas from caches. */
const LIMITS_SEEN_AFTER_MS = 2500;

function replicas(title: string, run: (at: RolloutPlace) => Promise<unknown>): Scenario {
  return { title: `replicas: ${title}`, run: (world) => run(new RolloutPlace(world)) };
}

function template(
  spec: Partial<PodSpec>,
  metadata: PodTemplateSpec['metadata'] = {},
): Partial<ReplicaSetSpec> {
  const made: PodTemplateSpec = {
    metadata: { labels: WEB, ...metadata },
    spec: { containers: [{ name: 'c', image: 'a' }], ...spec },
  };
  return { template: made };
}

/** The answers once the controller has had time to be refused. */
async function refused(at: RolloutPlace): Promise<unknown> {
  await at.world.sleep(1500);
  return [await at.seen(), await at.notes('FailedCreate')];
}

async function made(
  at: RolloutPlace,
  apiVersion: string,
  kind: string,
  more: object,
): Promise<void> {
  const places: Readonly<Record<string, string>> = {
    LimitRange: 'limitranges',
    ResourceQuota: 'resourcequotas',
    ServiceAccount: 'serviceaccounts',
  };
  const body = { apiVersion, kind, metadata: { name: 'some' }, ...more };
  await at.world.of(`${apiVersion}/${places[kind]}`).create(body);
}

/** ReplicaSets and ReplicationControllers: which pods they take, make and delete, and what they say when they cannot. */
export const replicaSets: readonly Scenario[] = [
  replicas('the pods with the lowest deletion cost go first', async (at) => {
    await at.createSet('front', 'a');
    await at.seen();
    const names = await at.podNames();
    for (const [index, cost] of ['10', '-5', '0'].entries()) {
      await at.pods.patch(names[index] ?? '', { metadata: { annotations: { [COST]: cost } } });
    }
    await at.world.sleep(500);
    await at.sets.patch('front', { spec: { replicas: 2 } });
    const two = await at.seen();
    await at.sets.patch('front', { spec: { replicas: 1 } });
    return [two, await at.seen()];
  }),
  replicas('a deletion cost that is no number is refused', async (at) => {
    const annotations = { [COST]: 'cheap' };
    return await outcome(at.createPod('one', WEB, { annotations }));
  }),
  replicas('pods that are not ready go before those that are', async (at) => {
    at.kubeletRuns = false;
    await at.createSet('front', 'a', { replicas: 4 });
    await at.seen();
    const [one = '', other = '', third = ''] = await at.podNames();
    await at.ready(one, true);
    await at.ready(other, true);
    await at.ready(third, false);
    await at.seen();
    await at.sets.patch('front', { spec: { replicas: 3 } });
    const three = await at.seen();
    await at.sets.patch('front', { spec: { replicas: 2 } });
    return [three, await at.seen()];
  }),
  replicas('pods without a node go before those with one', async (at) => {
    at.kubeletRuns = false;
    for (const name of ['one', 'two'])
      await at.createPod(name, WEB, { annotations: { without: '' } });
    const spec = { nodeName: 'nowhere' };
    await at.createPod('three', WEB, { annotations: { with: '' }, spec });
    await at.createSet('front', 'a', { replicas: 1 });
    await at.world.until('one is left', async () => {
      const { items } = await at.pods.list();
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length === 1;
    });
    const { items } = await at.pods.list();
    return items.map(({ metadata, spec: { nodeName } = {} }) => [metadata.name, nodeName]);
  }),
  replicas('pods on a node with more of them go first', async (at) => {
    const place = async (name: string, nodeName: string): Promise<void> => {
      await at.createPod(name, WEB, { spec: { nodeName, terminationGracePeriodSeconds: 0 } });
      await at.ready(name, true);
    };
    await place('a1', 'first');
    await place('b1', 'second');
    await place('b2', 'second');
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    const { items } = await at.pods.list();
    return inOrder(items.map(({ spec }) => spec?.nodeName));
  }),
  replicas('pods that are there are adopted, and the surplus is deleted', async (at) => {
    for (const name of ['one', 'two', 'three']) {
      await at.createPod(name, WEB);
      await at.ready(name, true);
    }
    await at.createSet('front', 'a', { replicas: 1 });
    return [await at.seen(), (await at.podNames()).length];
  }),
  replicas('a pod of another controller is not adopted', async (at) => {
    await at.createSet('other', 'a', { replicas: 1 });
    await at.seen();
    await at.createSet('front', 'a', { replicas: 1 });
    return await at.seen();
  }),
  replicas('two with one selector keep their own pods', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.createSet('other', 'b', { replicas: 3 });
    await at.seen();
    await at.sets.delete('other');
    return await at.seen();
  }),
  replicas('a pod that has ended is not adopted', async (at) => {
    await at.createPod('one', WEB);
    await at.pods.patch('one', { status: { phase: 'Failed' } }, STATUS);
    await at.createSet('front', 'a', { replicas: 1 });
    return await at.seen();
  }),
  replicas('a pod that is being deleted is not adopted', async (at) => {
    await at.createPod('one', WEB, { finalizers: [HELD] });
    await at.pods.delete('one');
    await at.createSet('front', 'a', { replicas: 1 });
    const held = await at.seen();
    await at.pods.patch('one', LET_GO);
    return [held, await at.seen()];
  }),
  replicas('a released pod that gets its label back is taken again', async (at) => {
    await at.createSet('front', 'a', { replicas: 1 });
    await at.seen();
    const [name = ''] = await at.podNames();
    await at.pods.patch(name, { metadata: { labels: { app: 'x' } } });
    await at.seen();
    await at.pods.patch(name, { metadata: { labels: WEB } });
    await at.seen();
    return (await at.podNames()).length;
  }),
  replicas('the reference to the controller is removed from a pod', async (at) => {
    await at.createSet('front', 'a', { replicas: 1 });
    await at.seen();
    const [name = ''] = await at.podNames();
    await at.pods.patch(name, { metadata: { ownerReferences: null } });
    return [await at.seen(), (await at.podNames()).length];
  }),
  replicas('a pod that goes is replaced at once', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    const [name = ''] = await at.podNames();
    await at.pods.patch(name, HOLD);
    await at.pods.delete(name);
    const waits = await at.seen();
    await at.pods.patch(name, LET_GO);
    return [waits, await at.seen()];
  }),
  replicas('deleted in the background, it takes its pods with it', async (at) => {
    await at.createSet('front', 'a');
    await at.seen();
    await at.sets.delete('front', { propagationPolicy: 'Background' });
    await at.world.until('no pods', async () => (await at.podNames()).length === 0);
    return await at.seen();
  }),
  replicas('deleted in the foreground, it waits for its pods', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    const [name = ''] = await at.podNames();
    await at.pods.patch(name, HOLD);
    await at.sets.delete('front', { propagationPolicy: 'Foreground' });
    const waits = await at.seen();
    const { metadata } = await at.sets.get('front');
    await at.pods.patch(name, LET_GO);
    await at.world.untilGone('front', 'apps/v1/replicasets');
    return [waits, metadata.finalizers, await at.seen()];
  }),
  replicas('deleted as orphans, its pods are adopted by the next one', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    await at.sets.delete('front', { propagationPolicy: 'Orphan' });
    await at.world.untilGone('front', 'apps/v1/replicasets');
    const orphans = await at.seen();
    await at.createSet('front', 'b', { replicas: 3 });
    return [orphans, await at.seen()];
  }),
  replicas('one whose owner is not there is deleted with its pods', async (at) => {
    await at.createSet('front', 'a', { replicas: 1 });
    await at.seen();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'a-b-c' };
    await at.sets.patch('front', { metadata: { ownerReferences: [owner] } });
    await at.world.untilGone('front', 'apps/v1/replicasets');
    await at.world.until('no pods', async () => (await at.podNames()).length === 0);
    return await at.seen();
  }),
  replicas('a quota refuses, and fewer are wanted', async (at) => {
    await made(at, 'v1', 'ResourceQuota', { spec: { hard: { pods: '1' } } });
    await at.world.sleep(LIMITS_SEEN_AFTER_MS);
    await at.createSet('front', 'a', { replicas: 2 });
    await at.world.sleep(1500);
    await at.sets.patch('front', { spec: { replicas: 1 } });
    return await at.seen();
  }),
  replicas('a quota of CPU refuses pods that ask for none', async (at) => {
    await made(at, 'v1', 'ResourceQuota', { spec: { hard: { 'requests.cpu': '1' } } });
    await at.world.sleep(LIMITS_SEEN_AFTER_MS);
    await at.createSet('front', 'a', { replicas: 1 });
    return await refused(at);
  }),
  replicas('a limit range refuses pods that ask for too much', async (at) => {
    await made(at, 'v1', 'LimitRange', {
      spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
    });
    await at.world.sleep(LIMITS_SEEN_AFTER_MS);
    const resources = { limits: { cpu: '2' } };
    const containers = [{ name: 'c', image: 'a', resources }];
    await at.createSet('front', 'a', { replicas: 1, ...template({ containers }) });
    return await refused(at);
  }),
  replicas('the service account is missing, and comes', async (at) => {
    await at.createSet('front', 'a', { replicas: 1, ...template({ serviceAccountName: 'some' }) });
    const without = await refused(at);
    await made(at, 'v1', 'ServiceAccount', {});
    await at.world.until('a pod', async () => (await at.podNames()).length === 1);
    return [without, await at.seen()];
  }),
  replicas('the priority class is missing', async (at) => {
    await at.createSet('front', 'a', { replicas: 1, ...template({ priorityClassName: 'some' }) });
    return await refused(at);
  }),
  replicas('the runtime class is missing', async (at) => {
    await at.createSet('front', 'a', { replicas: 1, ...template({ runtimeClassName: 'some' }) });
    return await refused(at);
  }),
  replicas('the namespace wants restricted pods', async (at) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await at.world.global('v1/namespaces').patch(at.world.namespace, { metadata: { labels } });
    await at.world.sleep(LIMITS_SEEN_AFTER_MS);
    await at.createSet('front', 'a', { replicas: 1 });
    return await refused(at);
  }),
  replicas('the template has a finalizer that is no name of one', async (at) => {
    const spec = { replicas: 1, ...template({}, { finalizers: ['bad'] }) };
    return await outcome(at.createSet('front', 'a', spec));
  }),
  replicas('the selector does not match the template', async (at) => {
    const selector = { matchLabels: { app: 'other' } };
    return await outcome(at.createSet('front', 'a', { selector }));
  }),
  replicas('the selector may not change', async (at) => {
    await at.createSet('front', 'a', { replicas: 0 });
    const spec = { selector: { matchLabels: { more: 'x' } } };
    return await outcome(at.sets.patch('front', { spec }));
  }),
  replicas('minReadySeconds makes pods wait, and is taken away', async (at) => {
    await at.createSet('front', 'a', { replicas: 2, minReadySeconds: 3000 });
    const waits = await at.seen();
    await at.sets.patch('front', { spec: { minReadySeconds: 0 } });
    return [waits, await at.seen()];
  }),
  replicas('pods with all labels of the template are counted', async (at) => {
    const spec = { replicas: 2, ...template({}, { labels: { ...WEB, more: '1' } }) };
    await at.createSet('front', 'a', { ...spec, selector: { matchLabels: WEB } });
    await at.seen();
    const [name = ''] = await at.podNames();
    await at.pods.patch(name, { metadata: { labels: { more: null } } });
    return await at.seen();
  }),
  replicas('a new template is for new pods only', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    await at.sets.patch('front', { spec: template({ containers: [{ name: 'c', image: 'b' }] }) });
    await at.sets.patch('front', { spec: { replicas: 3 } });
    await at.seen();
    const { items } = await at.pods.list();
    return inOrder(items.map(({ spec }) => spec?.containers[0]?.image));
  }),
  replicas('the subresource scale', async (at) => {
    await at.createSet('front', 'a', { replicas: 1 });
    await at.seen();
    await at.sets.patch(
      'front',
      { spec: { replicas: 3 } },
      { type: 'merge', subresource: 'scale' },
    );
    return await at.seen();
  }),
  replicas('the events of growing and shrinking', async (at) => {
    await at.createSet('front', 'a', { replicas: 2 });
    await at.seen();
    await at.sets.patch('front', { spec: { replicas: 1 } });
    await at.seen();
    return [await at.notes('SuccessfulCreate'), await at.notes('SuccessfulDelete')];
  }),
  replicas('a long name leaves room for the ends of the names of pods', async (at) => {
    const name = `front-${'x'.repeat(200)}`;
    await at.createSet(name, 'a', { replicas: 1 });
    await at.seen();
    const [pod] = await at.podNames();
    return [pod?.length, pod?.slice(0, 20)];
  }),
  replicas('a name with a dot', async (at) => {
    await at.createSet('front.web', 'a', { replicas: 1 });
    await at.seen();
    const [pod] = await at.podNames();
    return pod?.slice(0, 10);
  }),
  replicas('a ReplicationController adopts pods, and releases one', async (at) => {
    await at.createPod('one', WEB);
    await at.createController('a', { replicas: 1 });
    const adopted = await at.seen();
    await at.pods.patch('one', { metadata: { labels: { app: 'x' } } });
    return [adopted, await at.seen()];
  }),
  replicas('a ReplicationController is deleted, and its pods stay', async (at) => {
    await at.createController('a');
    await at.seen();
    await at.controllers.delete('web', { propagationPolicy: 'Orphan' });
    await at.world.untilGone('web', 'v1/replicationcontrollers');
    return await at.seen();
  }),
  replicas('a ReplicationController is deleted in the foreground', async (at) => {
    await at.createController('a');
    await at.seen();
    await at.controllers.delete('web', { propagationPolicy: 'Foreground' });
    await at.world.untilGone('web', 'v1/replicationcontrollers');
    return await at.seen();
  }),
  replicas('a quota refuses pods of a ReplicationController', async (at) => {
    await made(at, 'v1', 'ResourceQuota', { spec: { hard: { pods: '1' } } });
    await at.world.sleep(LIMITS_SEEN_AFTER_MS);
    await at.createController('a');
    await at.world.sleep(1500);
    return await at.seen();
  }),
  replicas('minReadySeconds of a ReplicationController', async (at) => {
    await at.createController('a', { minReadySeconds: 3000 });
    const waits = await at.seen();
    await at.controllers.patch('web', { spec: { minReadySeconds: null } });
    return [waits, await at.seen()];
  }),
  replicas('a ReplicationController and a ReplicaSet with one selector', async (at) => {
    await at.createController('a', { replicas: 1 });
    await at.seen();
    await at.createSet('front', 'b', { replicas: 2 });
    return await at.seen();
  }),
  replicas('the scale of a ReplicationController', async (at) => {
    await at.createController('a');
    await at.seen();
    const scale = { type: 'merge', subresource: 'scale' } as const;
    await at.controllers.patch('web', { spec: { replicas: 0 } }, scale);
    return [await at.seen(), await at.notes('SuccessfulDelete')];
  }),
];
