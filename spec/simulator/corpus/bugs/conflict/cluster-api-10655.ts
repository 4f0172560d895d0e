import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { unlessExists } from '../../support/quiet.ts';
import { creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface Binding extends KubernetesObject {
  /** The sets that were applied to the cluster. */
  readonly spec?: { readonly sets?: readonly string[] };
}

const apiVersion = 'addons.cluster.x-k8s.io/v1beta1';
const SET = { apiVersion, kind: 'ClusterResourceSet', plural: 'clusterresourcesets' };
const BINDING = {
  apiVersion,
  kind: 'ClusterResourceSetBinding',
  plural: 'clusterresourcesetbindings',
};
/** The one cluster that all sets are for; its binding has this name. */
const CLUSTER = 'east';
const SETS = ['network', 'storage', 'cloud'];

/** Applies each set to the cluster, and notes that in the binding of the cluster. A config map stands for what is applied. */
function setUp(locks: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const sets = informers.for(apiVersion, SET.plural);
    const bindings = informers.for<Binding>(apiVersion, BINDING.plural);
    sets.addHandler({
      view: 'key',
      onAdd: ({ key }) => queue.add(key),
      onUpdate: ({ key }) => queue.add(key),
    });
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const set = sets.lister.namespace(namespace).get(name);
      if (set === undefined) return;
      const own = client.resource(apiVersion, SET.plural, { namespace });
      if (!(await stillThere(own, set))) return;
      const binding = bindings.lister.namespace(namespace).get(CLUSTER);
      const noted = binding?.spec?.sets ?? [];
      if (noted.includes(name)) return;
      const maps = client.resource('v1', 'configmaps', { namespace });
      await unlessExists(maps.create({ metadata: { name: `${CLUSTER}-${name}` } }));
      const api = client.resource<Binding>(apiVersion, BINDING.plural, { namespace });
      const spec = { sets: [...noted, name].toSorted() };
      if (binding === undefined) {
        await api.create({
          apiVersion,
          kind: BINDING.kind,
          metadata: { name: CLUSTER },
          spec,
        });
        return;
      }
      const { uid, resourceVersion } = binding.metadata;
      await api.patch(CLUSTER, locks ? { metadata: { uid, resourceVersion }, spec } : { spec });
    };
  };
}

function notes(state: ClusterState, sets: readonly string[]): boolean {
  const binding = state.get<Binding>(apiVersion, BINDING.plural, CLUSTER, 'default');
  return sets.every((set) => binding?.spec?.sets?.includes(set));
}

export const clusterApi10655: KnownBug = {
  name: 'cluster-api-10655',
  upstream: {
    project: 'kubernetes-sigs/cluster-api',
    issue: 'https://github.com/kubernetes-sigs/cluster-api/issues/10655',
    fix: 'https://github.com/kubernetes-sigs/cluster-api/pull/10656',
    summary:
      'Each set of resources notes in the binding of its cluster that it was applied, by a patch of the whole list without the version that was read. ' +
      'When another set was noted meanwhile, that note is lost. The fix sends the version.',
  },
  pattern: 'conflict',
  world: { objects: [customResource(SET), customResource(BINDING)] },
  // Until the controller is idle: with less time between the sets, no fault is needed.
  workload: SETS.map((set) => ({ ...creates(SET, set, {}, () => true), until: undefined })),
  wrong: [loopOf('resource-sets', setUp(false))],
  fixed: [loopOf('resource-sets', setUp(true))],
  invariants: [
    {
      name: 'the binding names each set that was applied',
      eventually: (state) => notes(state, SETS),
    },
  ],
};
