import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { ordinalOf, statefulSet, statefulSets } from '../../environment/stateful-sets.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
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
const LEFT = 'left-the-ring';

/** Lets the newest node leave the ring, and then makes the stateful set smaller. */
function operator(byOrdinal: boolean) {
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
        if (owned('apps/v1', 'statefulsets').length === 0) {
          if (!(await stillThere(resource(apiVersion, plural), center))) return;
          await sets.create(
            own(statefulSet({ name, replicas: nodes, labels: { datacenter: name } })),
          );
          return;
        }
        const set = await sets.get(name);
        const replicas = set.spec?.replicas ?? 0;
        if (nodes >= replicas || set.status?.replicas !== replicas) return;
        const pods = lister('v1', 'pods').list({ labels: `datacenter=${name}` });
        if (pods.length !== replicas) return;
        const newest = byOrdinal
          ? pods.toSorted((one, other) => ordinalOf(one) - ordinalOf(other)).at(-1)
          : pods.at(-1);
        if (newest === undefined) return;
        // Stands for the call that lets the node leave the ring.
        const left = { metadata: { annotations: { [LEFT]: 'yes' } } };
        await resource('v1', 'pods').patch(newest.metadata.name, left);
        const { resourceVersion } = set.metadata;
        await sets.patch(name, { metadata: { resourceVersion }, spec: { replicas: replicas - 1 } });
      });
}

function hasNodes(state: ClusterState, nodes: number): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'ring', 'default');
  return set?.status?.readyReplicas === nodes && state.list('v1', 'pods').length === nodes;
}

export const cassandraOperator400: KnownBug = {
  name: 'cassandra-operator-400',
  upstream: {
    project: 'instaclustr/cassandra-operator',
    issue: 'https://github.com/instaclustr/cassandra-operator/issues/400',
    fix: 'bd8077a4 (#401)',
    summary:
      'The last pod of a list is taken for the newest one and leaves the ring, but a cache lists in no promised order, and the stateful set deletes ' +
      'the pod with the highest number. The fix compares the numbers.',
  },
  pattern: 'order',
  world: { objects: [customResource(DATA_CENTER)], environment: statefulSets },
  workload: [
    creates(DATA_CENTER, 'ring', { nodes: 3 }, (state) => hasNodes(state, 3)),
    changes(DATA_CENTER, 'ring', { nodes: 2 }, (state) => hasNodes(state, 2)),
  ],
  wrong: [operatorOf('cassandra-operator', operator(false))],
  fixed: [operatorOf('cassandra-operator', operator(true))],
  invariants: [
    {
      name: 'the nodes that stay are in the ring',
      eventually: (state) =>
        state
          .list('v1', 'pods')
          .every(({ metadata }) => metadata?.annotations?.[LEFT] === undefined),
    },
  ],
};
