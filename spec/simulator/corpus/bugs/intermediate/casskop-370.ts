import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { claimSpec, STORAGE_CLASS } from '../../environment/claims.ts';
import { statefulSet, statefulSets } from '../../environment/stateful-sets.ts';

interface LastOperation {
  readonly status: 'Ongoing' | 'Finalizing' | 'Done';
  readonly pod: string;
}

interface CassandraCluster extends KubernetesObject {
  readonly spec: { readonly nodesPerRack: number };
  readonly status?: { readonly lastOperation?: LastOperation };
}

const API = 'db.orange.com/v2';

/** Removes one node after the other: it leaves the ring, its pod goes, its claim is deleted. */
function operator(recordsFirst: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<CassandraCluster>(client, API, 'cassandraclusters', options)
      .owns('apps/v1', 'statefulsets')
      .watches('v1', 'pods', ({ metadata: { namespace, labels } }) =>
        labels?.['cluster'] === undefined ? [] : [{ namespace, name: labels['cluster'] }],
      )
      .reconcile(async ({ metadata, spec, status }, { resource, own, owned }) => {
        const { name, resourceVersion } = metadata;
        const sets = resource('apps/v1', 'statefulsets');
        const pods = resource('v1', 'pods');
        const [set] = owned('apps/v1', 'statefulsets');
        if (set === undefined) {
          const claim = claimSpec('20Gi');
          const labels = { cluster: name };
          await sets.create(own(statefulSet({ name, replicas: spec.nodesPerRack, labels, claim })));
          return;
        }
        const replicas = set.spec?.replicas ?? 0;
        const { lastOperation = { status: 'Done', pod: '' } } = status ?? {};
        const { pod } = lastOperation;
        if (lastOperation.status === 'Done') {
          if (spec.nodesPerRack >= replicas) return;
          // The cache of the sets may be behind that of the clusters.
          const live = recordsFirst ? await sets.get(name) : set;
          if (live.spec?.replicas !== replicas) return { requeueAfterMs: 1000 };
          const begun = { status: 'Ongoing', pod: `${name}-${replicas - 1}` } as const;
          // With the version that was read: a cluster of the past begins nothing again.
          await resource<CassandraCluster>(API, 'cassandraclusters').patch(
            name,
            {
              metadata: recordsFirst ? { resourceVersion } : {},
              status: { lastOperation: begun },
            },
            { subresource: 'status' },
          );
          return { requeueAfterMs: 100 };
        }
        if (lastOperation.status === 'Ongoing') {
          // Stands for the call that lets the node leave the ring. It fails when the pod is gone.
          await pods.patch(pod, { metadata: { annotations: { 'left-the-ring': 'yes' } } });
          const finalizing = { lastOperation: { status: 'Finalizing', pod } } as const;
          if (recordsFirst) {
            const clusters = resource<CassandraCluster>(API, 'cassandraclusters');
            await clusters.patch(name, { status: finalizing }, { subresource: 'status' });
          }
          await sets.patch(name, { spec: { replicas: Number(pod.slice(name.length + 1)) } });
          return { status: finalizing, requeueAfterMs: 100 };
        }
        // The process may have ended before the set was changed.
        const left = Number(pod.slice(name.length + 1));
        if (replicas > left) await sets.patch(name, { spec: { replicas: left } });
        const { items } = await pods.list({ labelSelector: `cluster=${name}` });
        if (items.some(({ metadata }) => metadata.name === pod)) return { requeueAfterMs: 1000 };
        const claims = resource('v1', 'persistentvolumeclaims');
        await claims.delete(`data-${pod}`, { ignoreNotFound: true });
        return { status: { lastOperation: { status: 'Done', pod } }, requeueAfterMs: 100 };
      });
}

export const casskop370: KnownBug = {
  name: 'casskop-370',
  upstream: {
    project: 'Orange-OpenSource/casskop',
    issue: 'https://github.com/Orange-OpenSource/casskop/issues/370',
    fix: 'b1a6a14f (#377)',
    summary:
      'A node leaves in steps, and the step that is reached is written at the end of a run, after the stateful set was made smaller. After a ' +
      'crash in between, the next run repeats the step before with a pod that is gone, and fails for ever. The fix writes the step first.',
  },
  pattern: 'intermediate',
  world: {
    objects: [
      customResource({ apiVersion: API, kind: 'CassandraCluster', plural: 'cassandraclusters' }),
      STORAGE_CLASS,
    ],
    environment: statefulSets,
  },
  workload: [
    {
      title: 'a cluster of two nodes',
      act: async (user) => {
        const clusters = user.resource<CassandraCluster>(API, 'cassandraclusters');
        const metadata = { name: 'ring', namespace: 'default' };
        const spec = { nodesPerRack: 2 };
        await clusters.create({ apiVersion: API, kind: 'CassandraCluster', metadata, spec });
      },
      until: (state) =>
        state.get('apps/v1', 'statefulsets', 'ring', 'default')?.status?.readyReplicas === 2,
    },
    {
      title: 'one node leaves, and its claim goes',
      act: async (user) => {
        const clusters = user.resource(API, 'cassandraclusters', { namespace: 'default' });
        await clusters.patch('ring', { spec: { nodesPerRack: 1 } });
      },
      until: (state) =>
        state.list('v1', 'persistentvolumeclaims').length === 1 &&
        state.list('v1', 'pods').length === 1,
    },
  ],
  wrong: [operatorOf('casskop', operator(false))],
  fixed: [operatorOf('casskop', operator(true))],
};
