import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { claimSpec, STORAGE_CLASS } from '../../environment/claims.ts';
import { statefulSet, statefulSets } from '../../environment/stateful-sets.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { unlessGone } from '../../support/quiet.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface CassandraDataCenter extends KubernetesObject {
  readonly spec: { readonly nodes: number };
}

const DATA_CENTER = {
  apiVersion: 'cassandraoperator.instaclustr.com/v1alpha1',
  kind: 'CassandraDataCenter',
  plural: 'cassandradatacenters',
};
const { apiVersion, plural } = DATA_CENTER;
const FINALIZER = 'cassandraoperator.instaclustr.com/claims';

/** Deletes the claim of each pod of a data center that it sees being deleted. */
function operator(holdsPods: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<CassandraDataCenter>(client, apiVersion, plural, options)
      .owns('apps/v1', 'statefulsets')
      .watches('v1', 'pods', ({ metadata: { namespace, labels } }) =>
        labels?.['datacenter'] === undefined ? [] : [{ namespace, name: labels['datacenter'] }],
      )
      .reconcile(async (center, { resource, own, owned, lister }) => {
        const { name } = center.metadata;
        const { nodes } = center.spec;
        const sets = resource('apps/v1', 'statefulsets');
        const pods = resource('v1', 'pods');
        const claims = resource('v1', 'persistentvolumeclaims');
        const labels = { datacenter: name };
        const present = lister('v1', 'pods').list({ labels: `datacenter=${name}` });
        for (const { metadata } of present) {
          const { uid, resourceVersion, finalizers = [], deletionTimestamp } = metadata;
          if (deletionTimestamp === undefined) continue;
          await claims.delete(`data-${metadata.name}`, { ignoreNotFound: true });
          if (!finalizers.includes(FINALIZER)) continue;
          const left = { uid, resourceVersion, finalizers: [] };
          await unlessGone(pods.patch(metadata.name, { metadata: left }));
        }
        if (owned('apps/v1', 'statefulsets').length === 0) {
          if (!(await stillThere(resource(apiVersion, plural), center))) return;
          const finalizersOfPods = holdsPods ? [FINALIZER] : undefined;
          const claim = claimSpec('20Gi');
          const set = statefulSet({ name, replicas: nodes, labels, claim, finalizersOfPods });
          await sets.create(own(set));
          return;
        }
        await sets.patch(name, { spec: { replicas: nodes } });
      });
}

function hasNodes(state: ClusterState, nodes: number): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'ring', 'default');
  const left = [state.list('v1', 'pods'), state.list('v1', 'persistentvolumeclaims')];
  return set?.status?.readyReplicas === nodes && left.every(({ length }) => length === nodes);
}

export const cassandraOperator398: KnownBug = {
  name: 'cassandra-operator-398',
  upstream: {
    project: 'instaclustr/cassandra-operator',
    issue: 'https://github.com/instaclustr/cassandra-operator/issues/398',
    fix: '26958ef7 (#399)',
    summary:
      'The claim of a node is deleted when its pod is seen with a time of deletion. When the pod is gone before the operator looks, the claim stays ' +
      'for ever. The fix gives each pod that the operator sees a finalizer, and takes it away when the claim is deleted.',
    leftOpen:
      'The finalizer of the fix comes with a reconcile: when the operator is away, or an old cache lets it scale up and down again, a pod is made and ' +
      'deleted without one, and its claim stays. Here the template of the stateful set brings it.',
  },
  pattern: 'unobserved',
  world: { objects: [customResource(DATA_CENTER), STORAGE_CLASS], environment: statefulSets },
  workload: [
    creates(DATA_CENTER, 'ring', { nodes: 2 }, (state) => hasNodes(state, 2)),
    changes(DATA_CENTER, 'ring', { nodes: 1 }, (state) => hasNodes(state, 1)),
  ],
  wrong: [operatorOf('cassandra-operator', operator(false))],
  fixed: [operatorOf('cassandra-operator', operator(true))],
};
