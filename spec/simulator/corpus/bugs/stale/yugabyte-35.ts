import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface YBCluster extends KubernetesObject {
  readonly spec: { readonly tls: boolean; readonly replicas: number };
  readonly status?: { readonly replicas?: number };
}

const YUGABYTE = { apiVersion: 'yugabyte.com/v1alpha1', kind: 'YBCluster', plural: 'ybclusters' };
const { apiVersion, plural } = YUGABYTE;
const UID = 'secret-uid';

/** Makes the secret when encryption is on, and deletes it when it is off. */
function operator(precise: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<YBCluster>(client, apiVersion, plural, options)
      .owns('v1', 'secrets')
      .reconcile(async (cluster, { resource, own }) => {
        const { name, labels } = cluster.metadata as {
          name: string;
          labels?: Record<string, string>;
        };
        const { replicas } = cluster.spec;
        const clusters = resource(apiVersion, plural);
        const secrets = resource('v1', 'secrets');
        const secretName = `${name}-tls`;
        if (cluster.spec.tls) {
          if (!(await stillThere(clusters, cluster))) return { requeueAfterMs: 1000 };
          const metadata = { name: secretName };
          const secret = await secrets.apply(
            own({ apiVersion: 'v1', kind: 'Secret', metadata } as const),
          );
          // It is read here which secret may be deleted.
          if (labels?.[UID] !== secret.metadata.uid)
            await clusters.patch(name, { metadata: { labels: { [UID]: secret.metadata.uid } } });
          return { status: { replicas } };
        }
        const uid = labels?.[UID];
        if (precise && uid === undefined) return { status: { replicas } };
        const preconditions = precise ? { uid } : undefined;
        await secrets.delete(secretName, { preconditions, ignoreNotFound: true });
        if (uid !== undefined)
          await clusters.patch(name, { metadata: { labels: { [UID]: null } } });
        return { status: { replicas } };
      });
}

function hasReplicas(state: ClusterState, replicas: number): boolean {
  const cluster = state.get<YBCluster>(apiVersion, plural, 'yb', 'default');
  return cluster?.status?.replicas === replicas;
}

export const yugabyte35: KnownBug = {
  name: 'yugabyte-35',
  upstream: {
    project: 'yugabyte/yugabyte-operator',
    issue: 'https://github.com/yugabyte/yugabyte-operator/issues/35',
    fix: undefined,
    summary:
      'Encryption is switched on, and the secret with the key is made. An operator that restarts and sees encryption still off deletes the secret. ' +
      'Fixed here as pull request 37 proposes, which was not merged: the cluster has the uid of the secret as a label, and the deletion needs it.',
  },
  pattern: 'stale',
  world: { objects: [customResource(YUGABYTE)] },
  workload: [
    creates(YUGABYTE, 'yb', { tls: false, replicas: 1 }, (state) => hasReplicas(state, 1)),
    changes(YUGABYTE, 'yb', { tls: true }, (state) => {
      const labels = state.get(apiVersion, plural, 'yb', 'default')?.metadata?.labels;
      return state.list('v1', 'secrets', 'default').length === 1 && labels?.[UID] !== undefined;
    }),
    changes(YUGABYTE, 'yb', { replicas: 3 }, (state) => hasReplicas(state, 3)),
  ],
  wrong: [operatorOf('yugabyte-operator', operator(false))],
  fixed: [operatorOf('yugabyte-operator', operator(true))],
};
