import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { claimSpec, STORAGE_CLASS } from '../../environment/claims.ts';
import { ordinalOf, statefulSet, statefulSets } from '../../environment/stateful-sets.ts';

interface ZookeeperCluster extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

const ZOOKEEPER = {
  apiVersion: 'zookeeper.pravega.io/v1beta1',
  kind: 'ZookeeperCluster',
  plural: 'zookeeperclusters',
};
const { apiVersion, plural } = ZOOKEEPER;
const GENERATION = 'owner-generation';

/** Scales the stateful set, and deletes the claims of the pods that are gone. */
function operator(refusesThePast: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<ZookeeperCluster>(client, apiVersion, plural, options)
      .owns('apps/v1', 'statefulsets')
      .reconcile(async (cluster, { resource, own, owned }) => {
        const { name, generation = 0 } = cluster.metadata as { name: string; generation?: number };
        const { replicas } = cluster.spec;
        const sets = resource('apps/v1', 'statefulsets');
        const claims = resource('v1', 'persistentvolumeclaims');
        const labels = { [GENERATION]: String(generation) };
        if (owned('apps/v1', 'statefulsets').length === 0) {
          if (!(await stillThere(resource(apiVersion, plural), cluster))) return;
          const claim = claimSpec('20Gi');
          const set = own(statefulSet({ name, replicas, labels: { cluster: name }, claim }));
          await sets.create({ ...set, metadata: { ...set.metadata, labels } });
          return;
        }
        const set = await sets.get(name);
        const known = Number(set.metadata.labels?.[GENERATION]);
        if (refusesThePast && known > generation) throw new Error('the cluster is of the past');
        if (known !== generation || set.spec?.replicas !== replicas)
          await sets.patch(name, { metadata: { labels }, spec: { replicas } });
        if (set.status?.replicas !== replicas) return;
        const { items } = await claims.list({ labelSelector: `cluster=${name}` });
        for (const claim of items.filter((one) => ordinalOf(one) >= replicas)) {
          const { uid } = claim.metadata;
          await claims.delete(claim.metadata.name, {
            preconditions: { uid },
            ignoreNotFound: true,
          });
        }
      });
}

function hasNodes(state: ClusterState, nodes: number): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'zk', 'default');
  const pods = state.list('v1', 'pods').length;
  const claims = state.list('v1', 'persistentvolumeclaims').length;
  return set?.status?.readyReplicas === nodes && pods === nodes && claims === nodes;
}

export const zookeeper314: KnownBug = {
  name: 'zookeeper-314',
  upstream: {
    project: 'pravega/zookeeper-operator',
    issue: 'https://github.com/pravega/zookeeper-operator/issues/314',
    fix: 'b087a7f8 (#326), b18f1637 (#355), bb8b1bb4 (#359)',
    summary:
      'A cluster is made smaller and larger again. An operator that restarts and reads from a server that lags makes it smaller once more, and ' +
      'deletes the claim of a node. The fix labels the stateful set with the version of the cluster, and refuses older ones. Here the label is ' +
      'the generation, which does not depend on other writes.',
  },
  pattern: 'stale',
  world: { objects: [customResource(ZOOKEEPER), STORAGE_CLASS], environment: statefulSets },
  workload: [
    creates(ZOOKEEPER, 'zk', { replicas: 2 }, (state) => hasNodes(state, 2)),
    changes(ZOOKEEPER, 'zk', { replicas: 1 }, (state) => hasNodes(state, 1)),
    changes(ZOOKEEPER, 'zk', { replicas: 2 }, (state) => hasNodes(state, 2)),
    changes(ZOOKEEPER, 'zk', { replicas: 3 }, (state) => hasNodes(state, 3)),
  ],
  wrong: [operatorOf('zookeeper-operator', operator(false))],
  fixed: [operatorOf('zookeeper-operator', operator(true))],
};
