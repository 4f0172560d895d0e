import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { claimSpec, STORAGE_CLASS } from '../../environment/claims.ts';
import { ordinalOf, statefulSet, statefulSets } from '../../environment/stateful-sets.ts';
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
const POD = 'pod-uid';

/** Labels the claims with the uids of their pods, and deletes the claim of each pod that goes because there are fewer nodes. */
function operator(byPod: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<CassandraDataCenter>(client, apiVersion, plural, options)
      .owns('apps/v1', 'statefulsets')
      .watches('v1', 'pods', ({ metadata: { namespace, labels } }) =>
        labels?.['datacenter'] === undefined ? [] : [{ namespace, name: labels['datacenter'] }],
      )
      .reconcile(async (center, { resource, own, owned, lister }) => {
        const { name, generation = 0 } = center.metadata as { name: string; generation?: number };
        const { nodes } = center.spec;
        const sets = resource('apps/v1', 'statefulsets');
        const pods = resource('v1', 'pods');
        const claims = resource('v1', 'persistentvolumeclaims');
        if (owned('apps/v1', 'statefulsets').length === 0) {
          if (!(await stillThere(resource(apiVersion, plural), center))) return;
          const labels = { datacenter: name };
          const finalizersOfPods = [FINALIZER];
          const claim = claimSpec('20Gi');
          await sets.create(
            own(statefulSet({ name, replicas: nodes, labels, claim, finalizersOfPods })),
          );
          return;
        }
        // A data center of the past does not change the set: that is another bug.
        const annotations = { generation: String(generation) };
        const set = await sets.get(name);
        const { resourceVersion: version } = set.metadata;
        const known = Number(set.metadata.annotations?.['generation'] ?? 0);
        // Nor does it say which claims may go.
        if (byPod && known > generation) return { requeueAfterMs: 1000 };
        if (known < generation)
          await sets.patch(name, {
            metadata: { annotations, resourceVersion: version },
            spec: { replicas: nodes },
          });
        for (const pod of lister('v1', 'pods').list({ labels: `datacenter=${name}` })) {
          const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = pod.metadata;
          const live = await unlessGone(pods.get(pod.metadata.name));
          const claim = await unlessGone(claims.get(`data-${pod.metadata.name}`));
          const label = claim?.metadata.labels?.[POD];
          if (claim !== undefined && label === undefined && live?.metadata.uid === uid)
            await claims.patch(claim.metadata.name, {
              metadata: { uid: claim.metadata.uid, labels: { [POD]: uid } },
            });
          if (deletionTimestamp === undefined || !finalizers.includes(FINALIZER)) continue;
          if (claim !== undefined && ordinalOf(pod) >= nodes) {
            const isOfPod = label === uid || live?.metadata.uid === uid;
            const preconditions = { uid: claim.metadata.uid };
            if (!byPod || isOfPod)
              await claims.delete(claim.metadata.name, { preconditions, ignoreNotFound: true });
          }
          const left = { uid, resourceVersion, finalizers: [] };
          await unlessGone(pods.patch(pod.metadata.name, { metadata: left }));
        }
        return;
      });
}

function hasNodes(state: ClusterState, nodes: number): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'ring', 'default');
  const pods = state.list('v1', 'pods');
  const claims = state.list('v1', 'persistentvolumeclaims');
  const uids = pods.map(({ metadata }) => metadata?.uid);
  return (
    set?.status?.readyReplicas === nodes &&
    [pods, claims].every(({ length }) => length === nodes) &&
    claims.every(({ metadata }) => uids.includes(metadata?.labels?.[POD]))
  );
}

export const cassandraOperator407: KnownBug = {
  name: 'cassandra-operator-407',
  upstream: {
    project: 'instaclustr/cassandra-operator',
    issue: 'https://github.com/instaclustr/cassandra-operator/issues/407',
    fix: '34e1e045',
    summary:
      'A data center gets smaller and larger again. An operator that restarts and sees the pod of the past in its deletion deletes the claim of the ' +
      'present pod of that name. The fix labels claims with the uid of their pod, and deletes no claim of another pod.',
  },
  pattern: 'stale',
  world: { objects: [customResource(DATA_CENTER), STORAGE_CLASS], environment: statefulSets },
  workload: [
    creates(DATA_CENTER, 'ring', { nodes: 2 }, (state) => hasNodes(state, 2)),
    changes(DATA_CENTER, 'ring', { nodes: 1 }, (state) => hasNodes(state, 1)),
    changes(DATA_CENTER, 'ring', { nodes: 2 }, (state) => hasNodes(state, 2)),
    changes(DATA_CENTER, 'ring', { nodes: 3 }, (state) => hasNodes(state, 3)),
  ],
  wrong: [operatorOf('cassandra-operator', operator(false))],
  fixed: [operatorOf('cassandra-operator', operator(true))],
};
