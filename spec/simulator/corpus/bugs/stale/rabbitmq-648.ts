import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { creates, deletes } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';
import { controllerOf } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { statefulSet, statefulSets } from '../../environment/stateful-sets.ts';

interface RabbitmqCluster extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

const RABBITMQ = {
  apiVersion: 'rabbitmq.com/v1beta1',
  kind: 'RabbitmqCluster',
  plural: 'rabbitmqclusters',
};
const { apiVersion, plural } = RABBITMQ;

function operator(precise: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<RabbitmqCluster>(client, apiVersion, plural, options)
      .owns('apps/v1', 'statefulsets')
      .finalizer('deletion.finalizers.rabbitmq.com/set', async (cluster, { resource, lister }) => {
        const {
          name,
          namespace = '',
          uid,
        } = cluster.metadata as RabbitmqCluster['metadata'] & {
          name: string;
        };
        const sets = resource('apps/v1', 'statefulsets');
        if (!precise) {
          await sets.delete(name, { ignoreNotFound: true });
          return;
        }
        const set = lister('apps/v1', 'statefulsets').namespace(namespace).get(name);
        if (set === undefined || controllerOf(set)?.uid !== uid) return;
        const preconditions = { uid: set.metadata.uid };
        await sets.delete(name, { preconditions, ignoreNotFound: true });
      })
      .reconcile(async (cluster, { resource, own, owned }) => {
        if (owned('apps/v1', 'statefulsets').length > 0) return;
        if (!(await stillThere(resource(apiVersion, plural), cluster))) return;
        const { name } = cluster.metadata;
        const { replicas } = cluster.spec;
        const set = statefulSet({ name, replicas, labels: { cluster: name } });
        await resource('apps/v1', 'statefulsets').create(own(set));
      });
}

function isReady(state: ClusterState): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'queue', 'default');
  return set?.status?.readyReplicas === 2;
}

export const rabbitmq648: KnownBug = {
  name: 'rabbitmq-648',
  upstream: {
    project: 'rabbitmq/cluster-operator',
    issue: 'https://github.com/rabbitmq/cluster-operator/issues/648',
    fix: 'a621a6a4 (#651)',
    summary:
      'A cluster is deleted, and another one of its name is made. An operator that sees the deletion of the first one again deletes the stateful ' +
      'set of the second one by its name. The fix deletes only the set that the deleted cluster controls, with its uid as a precondition.',
  },
  pattern: 'stale',
  world: { objects: [customResource(RABBITMQ)], environment: statefulSets },
  workload: [
    creates(RABBITMQ, 'queue', { replicas: 2 }, isReady),
    deletes(RABBITMQ, 'queue', (state) => {
      const left = [...state.list(apiVersion, plural), ...state.list('apps/v1', 'statefulsets')];
      return left.length + state.list('v1', 'pods').length === 0;
    }),
    creates(RABBITMQ, 'queue', { replicas: 2 }, isReady),
  ],
  wrong: [operatorOf('rabbitmq-operator', operator(false))],
  fixed: [operatorOf('rabbitmq-operator', operator(true))],
};
