import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface ControlPlane extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

const CONTROL_PLANE = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1',
  kind: 'K0sControlPlane',
  plural: 'k0scontrolplanes',
};
const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', plural: 'machines' };
const { apiVersion, plural } = CONTROL_PLANE;

/** Makes machines with drawn names until there are enough in the cache. */
function setUp(asksFirst: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const planes = informers.for<ControlPlane>(apiVersion, plural);
    const machines = informers.for(MACHINE.apiVersion, MACHINE.plural);
    const add = ({
      namespace,
      name = '',
    }: {
      namespace?: string | undefined;
      name?: string | undefined;
    }) => queue.add(`${namespace ?? ''}/${name}`);
    planes.addHandler({
      view: 'metadata',
      onAdd: ({ metadata }) => add(metadata),
      onUpdate: (_old, { metadata }) => add(metadata),
    });
    machines.addHandler({
      view: 'metadata',
      onAdd: ({ metadata }) =>
        add({ namespace: metadata.namespace, name: metadata.labels?.['control-plane'] }),
    });
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const plane = planes.lister.namespace(namespace).get(name);
      if (plane === undefined) return;
      const api = client.resource(MACHINE.apiVersion, MACHINE.plural, { namespace });
      const labels = `control-plane=${name}`;
      const known = machines.lister.namespace(namespace).list({ labels });
      if (known.length >= plane.spec.replicas) return;
      if (!(await stillThere(client.resource(apiVersion, plural, { namespace }), plane))) return;
      if (asksFirst) {
        const { items } = await api.list({ labelSelector: labels });
        const names = known.map(({ metadata }) => metadata?.name);
        const unseen = items.filter(({ metadata }) => !names.includes(metadata.name));
        if (unseen.length > 0) return { requeueAfterMs: 1000 };
      }
      const metadata = { generateName: `${name}-`, labels: { 'control-plane': name } };
      await api.create({ apiVersion: MACHINE.apiVersion, kind: MACHINE.kind, metadata });
      return;
    };
  };
}

export const k0smotron1534: KnownBug = {
  name: 'k0smotron-1534',
  upstream: {
    project: 'k0sproject/k0smotron',
    issue: 'https://github.com/k0sproject/k0smotron/issues/1534',
    fix: 'https://github.com/k0sproject/k0smotron/pull/1535',
    summary:
      'Machines with drawn names are made until the cache has enough of them. A cache that does not have the last one yet leads to another. The ' +
      'fix asks the server before each creation, and waits when it knows machines that the cache does not have.',
  },
  pattern: 'stale',
  world: { objects: [customResource(CONTROL_PLANE), customResource(MACHINE)] },
  workload: [
    creates(
      CONTROL_PLANE,
      'k0s',
      { replicas: 1 },
      (state) => state.list(MACHINE.apiVersion, MACHINE.plural).length === 1,
    ),
    changes(
      CONTROL_PLANE,
      'k0s',
      { replicas: 3 },
      (state) => state.list(MACHINE.apiVersion, MACHINE.plural).length === 3,
    ),
  ],
  wrong: [loopOf('k0smotron', setUp(false))],
  fixed: [loopOf('k0smotron', setUp(true))],
  invariants: [
    {
      name: 'no more machines than wanted',
      always: (state) => {
        const [plane] = state.list<ControlPlane>(apiVersion, plural);
        const machines = state.list(MACHINE.apiVersion, MACHINE.plural).length;
        const wanted = plane?.spec.replicas ?? 0;
        return machines > wanted ? `${machines} machines, ${wanted} wanted` : undefined;
      },
    },
  ],
};
