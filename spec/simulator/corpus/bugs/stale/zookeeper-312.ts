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
import { stillThere } from '../../support/still-there.ts';

interface ZookeeperCluster extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

const API = 'zookeeper.pravega.io/v1beta1';

function operator(precise: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<ZookeeperCluster>(client, API, 'zookeeperclusters', options)
      .owns('apps/v1', 'statefulsets')
      .finalizer('zookeeper.pravega.io/claims', async ({ metadata }, { resource }) => {
        const { name, uid } = metadata;
        const claims = resource('v1', 'persistentvolumeclaims');
        const labelSelector = precise ? `cluster=${name},owner=${uid}` : `cluster=${name}`;
        const { items } = await claims.list({ labelSelector });
        for (const claim of items) {
          await claims.delete(claim.metadata.name, { ignoreNotFound: true });
        }
      })
      .reconcile(async (cluster, { resource, own, owned }) => {
        if (owned('apps/v1', 'statefulsets').length > 0) return;
        if (!(await stillThere(resource(API, 'zookeeperclusters'), cluster))) return;
        const { metadata, spec } = cluster;
        const { name, uid } = metadata;
        const labels = { cluster: name, owner: uid };
        const claim = claimSpec('20Gi');
        const set = own(statefulSet({ name, replicas: spec.replicas, labels, claim }));
        await resource('apps/v1', 'statefulsets').create(set);
      });
}

async function createCluster(user: Client): Promise<void> {
  const clusters = user.resource<ZookeeperCluster>(API, 'zookeeperclusters');
  const metadata = { name: 'zk', namespace: 'default' };
  await clusters.create({
    apiVersion: API,
    kind: 'ZookeeperCluster',
    metadata,
    spec: { replicas: 2 },
  });
}

function isReady(state: ClusterState): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'zk', 'default');
  return set?.status?.readyReplicas === 2;
}

export const zookeeper312: KnownBug = {
  name: 'zookeeper-312',
  upstream: {
    project: 'pravega/zookeeper-operator',
    issue: 'https://github.com/pravega/zookeeper-operator/issues/312',
    fix: 'c25d1936 (#313)',
    summary:
      'A cluster is deleted, and another one of its name is made. An operator that restarts and reads from a server that lags sees the ' +
      'deletion of the first one again, and deletes the claims of the second one, which it finds by the name. The fix labels claims with ' +
      'the uid of their cluster and lists by it.',
    leftOpen:
      'The operator lists the claims from its cache: those that the cache does not show yet stay for ever. Here the server lists them.',
  },
  pattern: 'stale',
  world: {
    objects: [
      customResource({ apiVersion: API, kind: 'ZookeeperCluster', plural: 'zookeeperclusters' }),
      STORAGE_CLASS,
    ],
    environment: statefulSets,
  },
  workload: [
    { title: 'a cluster', act: createCluster, until: isReady },
    {
      title: 'the cluster is deleted, with its pods and claims',
      act: async (user) => {
        await user.resource(API, 'zookeeperclusters', { namespace: 'default' }).delete('zk');
      },
      until: (state) =>
        [
          ...state.list(API, 'zookeeperclusters'),
          ...state.list('v1', 'pods'),
          ...state.list('v1', 'persistentvolumeclaims'),
        ].length === 0,
    },
    { title: 'another cluster of the same name', act: createCluster, until: isReady },
  ],
  wrong: [operatorOf('zookeeper-operator', operator(false))],
  fixed: [operatorOf('zookeeper-operator', operator(true))],
};
