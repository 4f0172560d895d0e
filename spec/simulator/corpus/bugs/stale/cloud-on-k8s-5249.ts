import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { creates, deletes } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';

interface Elasticsearch extends KubernetesObject {
  readonly spec: { readonly version: string };
}

const ELASTICSEARCH = {
  apiVersion: 'elasticsearch.k8s.elastic.co/v1',
  kind: 'Elasticsearch',
  plural: 'elasticsearches',
};
const { apiVersion, plural } = ELASTICSEARCH;

/**
 * Makes secrets without an owner reference, so that they can be copied. Labels name their owner, and a controller of the secrets deletes those
 * whose owner the cache does not have.
 */
function operator(precise: boolean) {
  return (client: Client, options: ControllerOptions) => {
    const clusters = controller<Elasticsearch>(client, apiVersion, plural, options).reconcile(
      async (cluster, { resource }) => {
        if (!(await stillThere(resource(apiVersion, plural), cluster))) return;
        const { name } = cluster.metadata;
        for (const part of ['elastic-user', 'http-certs-public']) {
          const metadata = { name: `${name}-es-${part}`, labels: { 'soft-owner': name } };
          await resource('v1', 'secrets').apply({ apiVersion: 'v1', kind: 'Secret', metadata });
        }
      },
    );
    const secrets = controller(client, 'v1', 'secrets', { ...options, name: 'soft-owned-secrets' })
      .watches<Elasticsearch>(apiVersion, plural, ({ metadata: { namespace, name } }) =>
        ['elastic-user', 'http-certs-public'].map((part) => ({
          namespace,
          name: `${name}-es-${part}`,
        })),
      )
      .reconcile(async ({ metadata }, { resource, lister }) => {
        const { name, namespace = '', labels, uid, resourceVersion } = metadata;
        const owner = labels?.['soft-owner'];
        if (owner === undefined) return;
        if (lister<Elasticsearch>(apiVersion, plural).namespace(namespace).get(owner) !== undefined)
          return;
        if (precise) {
          // The cache of the clusters may be behind that of the secrets.
          const { items } = await resource<Elasticsearch>(apiVersion, plural).list();
          if (items.some((one) => one.metadata.name === owner)) return;
        }
        const preconditions = precise ? { uid, resourceVersion } : undefined;
        await resource('v1', 'secrets').delete(name, { preconditions, ignoreNotFound: true });
      });
    const both = [clusters, secrets];
    return {
      run: async ({ signal }: { readonly signal: AbortSignal }) => {
        await Promise.all(both.map((one) => one.run({ signal })));
      },
    };
  };
}

function hasSecrets(state: ClusterState): boolean {
  return state.list('v1', 'secrets', 'default').length === 2;
}

export const cloudOnK8s5249: KnownBug = {
  name: 'cloud-on-k8s-5249',
  upstream: {
    project: 'elastic/cloud-on-k8s',
    issue: 'https://github.com/elastic/cloud-on-k8s/issues/5249',
    fix: 'a1f1f0019 (#5273)',
    summary:
      'Secrets are deleted when the operator finds no cluster for their label. After a restart it may read from a server that lags: the first ' +
      'cluster of a name is gone, the second one is not there yet, and the secrets of the second one are deleted by their names. The fix ' +
      'deletes with uid and resource version as preconditions. Here the server is asked for the cluster too, because the cache of the ' +
      'clusters may be behind that of the secrets.',
  },
  pattern: 'stale',
  world: { objects: [customResource(ELASTICSEARCH)] },
  workload: [
    creates(ELASTICSEARCH, 'search', { version: '8.0' }, hasSecrets),
    deletes(
      ELASTICSEARCH,
      'search',
      (state) => state.list('v1', 'secrets', 'default').length === 0,
    ),
    creates(ELASTICSEARCH, 'search', { version: '8.0' }, hasSecrets),
  ],
  wrong: [operatorOf('elastic-operator', operator(false))],
  fixed: [operatorOf('elastic-operator', operator(true))],
};
