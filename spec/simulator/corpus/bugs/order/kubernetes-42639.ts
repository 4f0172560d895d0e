import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import { controllerOf, type KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState, WorkloadStep } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { unlessExists, unlessGone } from '../../support/quiet.ts';
import { creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

const apiVersion = 'apps/v1';
const DEPLOYMENT = { apiVersion, kind: 'Deployment', plural: 'deployments' };
const labels = { app: 'web' };
const POD_SPEC = {
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
  },
};

/** Makes one replica set for each deployment, or takes over one that has its label and no owner. */
function setUp(rechecks: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const deployments = informers.for('apps/v1', 'deployments');
    const sets = informers.for('apps/v1', 'replicasets');
    deployments.addHandler({
      view: 'key',
      onAdd: ({ key }) => queue.add(key),
      onUpdate: ({ key }) => queue.add(key),
    });
    const addOwner = ({ metadata }: KubernetesObject): void =>
      queue.add(`${metadata?.namespace}/${metadata?.labels?.['app']}`);
    sets.addHandler({
      onAdd: addOwner,
      onUpdate: (_old, set) => addOwner(set),
      onDelete: addOwner,
    });
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const deployment = deployments.lister.namespace(namespace).get(name);
      if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
      const own = client.resource('apps/v1', 'deployments', { namespace });
      const api = client.resource('apps/v1', 'replicasets', { namespace });
      const { uid } = deployment.metadata;
      const reference = { apiVersion, kind: DEPLOYMENT.kind, name, uid, controller: true };
      const ownerReferences = [reference];
      const set = sets.lister.namespace(namespace).get(`${name}-1`);
      if (set === undefined) {
        if (!(await stillThere(own, deployment))) return;
        const metadata = { name: `${name}-1`, labels, ownerReferences };
        await unlessExists(api.create({ metadata, spec: POD_SPEC }));
        return;
      }
      if (controllerOf(set) !== undefined || set.metadata.deletionTimestamp !== undefined) return;
      if (rechecks && !(await stillThere(own, deployment))) return;
      const { name: setName, uid: ofSet, resourceVersion } = set.metadata;
      const metadata = { uid: ofSet, resourceVersion, ownerReferences };
      await unlessGone(api.patch(setName, { metadata }));
    };
  };
}

function isOwned(state: ClusterState): boolean {
  const deployment = state.get('apps/v1', 'deployments', 'web', 'default');
  const set = state.get('apps/v1', 'replicasets', 'web-1', 'default');
  return set !== undefined && controllerOf(set)?.uid === deployment?.metadata?.uid;
}

const leavesTheSet: WorkloadStep = {
  title: 'the user deletes the deployment, and keeps its replica set',
  act: async (user) => {
    const deployments = user.resource('apps/v1', 'deployments', { namespace: 'default' });
    await deployments.delete('web', { propagationPolicy: 'Orphan' });
  },
  until: (state) => state.list('apps/v1', 'deployments').length === 0,
};

export const kubernetes42639: KnownBug = {
  name: 'kubernetes-42639',
  upstream: {
    project: 'kubernetes/kubernetes',
    issue: 'https://github.com/kubernetes/kubernetes/issues/42639',
    fix: 'https://github.com/kubernetes/kubernetes/pull/42938',
    summary:
      'A deployment is deleted, and its replica set is to stay. When the controller sees that the set has lost its owner before it sees the deletion, ' +
      'it takes the set over again, and the garbage collector deletes it. The fix asks the server for the deployment before the set is taken over.',
  },
  pattern: 'order',
  world: {},
  workload: [creates(DEPLOYMENT, 'web', POD_SPEC, isOwned), leavesTheSet],
  wrong: [loopOf('deployment-controller', setUp(false))],
  fixed: [loopOf('deployment-controller', setUp(true))],
};
