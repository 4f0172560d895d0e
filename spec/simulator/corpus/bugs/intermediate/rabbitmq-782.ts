import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { StatefulSet } from '../../../../../lib/types/built-in/apps-v1-kinds.ts';
import type { PersistentVolumeClaim } from '../../../../../lib/types/built-in/core-v1-kinds.ts';
import { claimSpec, STORAGE_CLASS } from '../../environment/claims.ts';
import { statefulSet, statefulSets } from '../../environment/stateful-sets.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { stillThere } from '../../support/still-there.ts';

interface RabbitmqCluster extends KubernetesObject {
  readonly spec: { readonly replicas: number; readonly storage: string };
}

const API = 'rabbitmq.com/v1beta1';
const CLUSTER = 'cluster';

/** Which claims have to grow. The set and the claims are those of the server, not of a cache. */
type TooSmall = (
  storage: string,
  set: StatefulSet | undefined,
  claims: readonly PersistentVolumeClaim[],
) => readonly PersistentVolumeClaim[];

function operator(tooSmall: TooSmall) {
  return (client: Client, options: ControllerOptions) =>
    controller<RabbitmqCluster>(client, API, 'rabbitmqclusters', options)
      .owns('apps/v1', 'statefulsets')
      .watches('v1', 'persistentvolumeclaims', ({ metadata: { namespace, labels } }) =>
        labels?.[CLUSTER] === undefined ? [] : [{ namespace, name: labels[CLUSTER] }],
      )
      .reconcile(async (cluster, { resource, own }) => {
        const { metadata, spec } = cluster;
        const { name } = metadata;
        const labels = { [CLUSTER]: name };
        const sets = resource('apps/v1', 'statefulsets');
        const labelSelector = `${CLUSTER}=${name}`;
        const [set] = (await sets.list({ labelSelector })).items;
        if (set?.metadata.deletionTimestamp !== undefined) return;
        const claims = resource('v1', 'persistentvolumeclaims');
        const { items } = await claims.list({ labelSelector });
        const growing = tooSmall(spec.storage, set, items);
        if (growing.length > 0 && set !== undefined) {
          // The templates of a stateful set cannot be changed; its pods stay.
          const { uid } = set.metadata;
          await sets.delete(name, { propagationPolicy: 'Orphan', preconditions: { uid } });
        }
        for (const claim of growing) {
          const resources = { requests: { storage: spec.storage } };
          const claimName = claim.metadata?.name ?? '';
          await claims.patch(claimName, { spec: { resources } });
        }
        if (set !== undefined || !(await stillThere(resource(API, 'rabbitmqclusters'), cluster)))
          return;
        const claim = claimSpec(spec.storage);
        await sets.create(own(statefulSet({ name, replicas: spec.replicas, labels, claim })));
      });
}

/** The stateful set says what size the claims have. It is gone when the process has ended after its deletion. */
const asTheSetSays: TooSmall = (storage, set, claims) => {
  const template = set?.spec?.volumeClaimTemplates?.[0];
  return template === undefined || sizeOf(template) === storage ? [] : claims;
};

/** A claim does not get smaller: a spec that asks for less is one of the past, or refused. */
const asTheClaimsSay: TooSmall = (storage, _set, claims) =>
  claims.filter((claim) => gibibytes(sizeOf(claim)) < gibibytes(storage));

function sizeOf({ spec }: Pick<PersistentVolumeClaim, 'spec'>): unknown {
  return spec?.resources?.requests?.['storage'];
}

/** Of a text such as `10Gi`. */
function gibibytes(size: unknown): number {
  return Number.parseInt(String(size), 10);
}

function hasSize(state: ClusterState, storage: string): boolean {
  const set = state.get('apps/v1', 'statefulsets', 'queue', 'default');
  const claims = state.list('v1', 'persistentvolumeclaims', 'default');
  const [template] = set?.spec?.volumeClaimTemplates ?? [];
  return (
    set?.status?.readyReplicas === 2 &&
    template !== undefined &&
    [template, ...claims].every((one) => sizeOf(one) === storage)
  );
}

export const rabbitmq782: KnownBug = {
  name: 'rabbitmq-782',
  upstream: {
    project: 'rabbitmq/cluster-operator',
    issue: 'https://github.com/rabbitmq/cluster-operator/issues/782',
    fix: '35d47434 (#838)',
    summary:
      'To let claims grow, the operator deletes the stateful set and then changes the claims. Whether they have to grow is read from the ' +
      'set, so that nothing makes them grow after a crash in between. The fix compares each claim, and lets only those grow that are smaller.',
    leftOpen:
      'An operator that has restarted, with a cluster of the past in its cache, makes the deleted set again with the old size. The claims have ' +
      'the new one, so nothing corrects the template of the set. Here the cluster is read from the server before the set is made.',
  },
  pattern: 'intermediate',
  world: {
    objects: [
      customResource({ apiVersion: API, kind: 'RabbitmqCluster', plural: 'rabbitmqclusters' }),
      STORAGE_CLASS,
    ],
    environment: statefulSets,
  },
  workload: [
    {
      title: 'a cluster with claims of 10 Gi',
      act: async (user) => {
        const clusters = user.resource<RabbitmqCluster>(API, 'rabbitmqclusters');
        const metadata = { name: 'queue', namespace: 'default' };
        const spec = { replicas: 2, storage: '10Gi' };
        await clusters.create({ apiVersion: API, kind: 'RabbitmqCluster', metadata, spec });
      },
      until: (state) => hasSize(state, '10Gi'),
    },
    {
      title: 'the claims grow to 15 Gi',
      act: async (user) => {
        const clusters = user.resource(API, 'rabbitmqclusters', { namespace: 'default' });
        await clusters.patch('queue', { spec: { storage: '15Gi' } });
      },
      until: (state) => hasSize(state, '15Gi'),
    },
  ],
  wrong: [operatorOf('rabbitmq-operator', operator(asTheSetSays))],
  fixed: [operatorOf('rabbitmq-operator', operator(asTheClaimsSay))],
};
