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
import { statefulSet, statefulSets } from '../../environment/stateful-sets.ts';

interface RabbitmqCluster extends KubernetesObject {
  readonly spec: { readonly gibibytes: number };
}

const RABBITMQ = {
  apiVersion: 'rabbitmq.com/v1beta1',
  kind: 'RabbitmqCluster',
  plural: 'rabbitmqclusters',
};
const { apiVersion, plural } = RABBITMQ;

/** Makes the stateful set anew when its claims have to grow. */
function operator(onlyGrows: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<RabbitmqCluster>(client, apiVersion, plural, options)
      .owns('apps/v1', 'statefulsets')
      .reconcile(async (cluster, { resource, own, owned }) => {
        const { name } = cluster.metadata;
        const { gibibytes } = cluster.spec;
        const sets = resource('apps/v1', 'statefulsets');
        const claims = resource('v1', 'persistentvolumeclaims');
        const [cached] = owned('apps/v1', 'statefulsets');
        if (cached?.metadata.deletionTimestamp !== undefined) return;
        const { items } = await claims.list({ labelSelector: `cluster=${name}` });
        for (const { metadata, spec } of items.filter((one) => sizeOf(one) < gibibytes)) {
          const requests = { storage: `${gibibytes}Gi` };
          await claims.patch(metadata.name, {
            spec: { resources: { ...spec?.resources, requests } },
          });
        }
        if (cached === undefined) {
          if (!(await stillThere(resource(apiVersion, plural), cluster))) return;
          const claim = claimSpec(`${gibibytes}Gi`);
          await sets.create(
            own(statefulSet({ name, replicas: 2, labels: { cluster: name }, claim })),
          );
          return;
        }
        const set = await sets.get(name);
        const [template = {}] = set.spec?.volumeClaimTemplates ?? [];
        const size = sizeOf(template);
        if (onlyGrows ? size >= gibibytes : size === gibibytes) return;
        const { uid } = set.metadata;
        await sets.delete(name, { propagationPolicy: 'Orphan', preconditions: { uid } });
      });
}

interface Sized {
  readonly spec?:
    | { readonly resources?: { readonly requests?: Record<string, string> } }
    | undefined;
}

/** In Gi. */
function sizeOf(claim: object): number {
  return Number.parseInt((claim as Sized).spec?.resources?.requests?.['storage'] ?? '0', 10);
}

function hasSize(state: ClusterState, gibibytes: number): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'queue', 'default');
  const [template = {}] = set?.spec?.volumeClaimTemplates ?? [];
  const claims = state.list('v1', 'persistentvolumeclaims', 'default');
  const all = [template, ...claims];
  return set?.status?.readyReplicas === 2 && all.every((one) => sizeOf(one) === gibibytes);
}

export const rabbitmq653: KnownBug = {
  name: 'rabbitmq-653',
  upstream: {
    project: 'rabbitmq/cluster-operator',
    issue: 'https://github.com/rabbitmq/cluster-operator/issues/653',
    fix: 'bf3f55ae (#658)',
    summary:
      'The stateful set is deleted whenever the wanted size of the claims differs. An operator that sees the smaller size of the past deletes it ' +
      'though claims cannot shrink. The fix deletes it only when the wanted size is larger.',
  },
  pattern: 'stale',
  world: { objects: [customResource(RABBITMQ), STORAGE_CLASS], environment: statefulSets },
  workload: [
    creates(RABBITMQ, 'queue', { gibibytes: 10 }, (state) => hasSize(state, 10)),
    changes(RABBITMQ, 'queue', { gibibytes: 15 }, (state) => hasSize(state, 15)),
    changes(RABBITMQ, 'queue', { gibibytes: 20 }, (state) => hasSize(state, 20)),
  ],
  wrong: [operatorOf('rabbitmq-operator', operator(false))],
  fixed: [operatorOf('rabbitmq-operator', operator(true))],
};
