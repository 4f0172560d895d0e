import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { stillThere } from '../../support/still-there.ts';
import { kubelet } from '../../environment/kubelet.ts';

interface NifiCluster extends KubernetesObject {
  readonly spec: { readonly banner: string };
  readonly status?: { readonly config?: 'InSync' | 'OutOfSync' };
}

const API = 'nifi.konpyutaika.com/v1';
const LOADED = 'loaded-banner';

/** Writes the configuration, and lets the node load it by another pod. The annotation of the pod says what it has loaded. */
function operator(marksFirst: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<NifiCluster>(client, API, 'nificlusters', options)
      .owns('v1', 'configmaps')
      .owns('v1', 'pods')
      .reconcile(async (cluster, { resource, own, owned }) => {
        const { metadata, spec, status } = cluster;
        const { name } = metadata;
        const maps = resource('v1', 'configmaps');
        const pods = resource('v1', 'pods');
        const clusters = resource<NifiCluster>(API, 'nificlusters');
        if (!(await stillThere(clusters, cluster))) return { requeueAfterMs: 1000 };
        const outOfSync = { status: { config: 'OutOfSync' } };
        const [map] = owned('v1', 'configmaps');
        const [pod] = owned('v1', 'pods');
        let { config = 'InSync' } = status ?? {};
        const data = { banner: spec.banner };
        if (map === undefined) await maps.create(own({ metadata: { name }, data }));
        else if (map.data?.['banner'] !== spec.banner) {
          if (marksFirst) await clusters.patch(name, outOfSync, { subresource: 'status' });
          await maps.patch(name, { data });
          if (!marksFirst) await clusters.patch(name, outOfSync, { subresource: 'status' });
          config = 'OutOfSync';
        }
        if (pod === undefined) {
          const containers = [{ name: 'nifi', image: 'example.com/nifi:1' }];
          const annotations = { [LOADED]: spec.banner };
          const ofPod = { name: `${name}-0`, annotations };
          await pods.create(own({ metadata: ofPod, spec: { nodeName: 'node', containers } }));
          return;
        }
        if (pod.metadata.deletionTimestamp !== undefined || config === 'InSync') return;
        if (pod.metadata.annotations?.[LOADED] === spec.banner)
          return { status: { config: 'InSync' } };
        const { uid } = pod.metadata;
        await pods.delete(pod.metadata.name, { preconditions: { uid }, ignoreNotFound: true });
        return;
      });
}

export const nifikop49: KnownBug = {
  name: 'nifikop-49',
  upstream: {
    project: 'konpyutaika/nifikop',
    issue: 'https://github.com/konpyutaika/nifikop/issues/49',
    fix: undefined,
    summary:
      'A changed configuration is written into a config map, and then the status says that the node has to load it. After a crash in between, ' +
      'the config map is as wanted, and the node is never started again. Fixed here: the status is written first.',
  },
  pattern: 'intermediate',
  world: {
    objects: [customResource({ apiVersion: API, kind: 'NifiCluster', plural: 'nificlusters' })],
    environment: [kubelet],
  },
  workload: [
    {
      title: 'a cluster',
      act: async (user) => {
        const clusters = user.resource<NifiCluster>(API, 'nificlusters');
        const metadata = { name: 'flow', namespace: 'default' };
        const spec = { banner: 'first' };
        await clusters.create({ apiVersion: API, kind: 'NifiCluster', metadata, spec });
      },
      until: (state) => state.list('v1', 'pods').some(({ status }) => status?.phase === 'Running'),
    },
    {
      title: 'another banner is loaded',
      act: async (user) => {
        const clusters = user.resource(API, 'nificlusters', { namespace: 'default' });
        await clusters.patch('flow', { spec: { banner: 'second' } });
      },
      until: (state) => {
        const pod = state.get('v1', 'pods', 'flow-0', 'default');
        const cluster = state.get<NifiCluster>(API, 'nificlusters', 'flow', 'default');
        const isLoaded = pod?.metadata?.annotations?.[LOADED] === 'second';
        return isLoaded && pod?.status?.phase === 'Running' && cluster?.status?.config === 'InSync';
      },
    },
  ],
  wrong: [operatorOf('nifikop', operator(false))],
  fixed: [operatorOf('nifikop', operator(true))],
};
