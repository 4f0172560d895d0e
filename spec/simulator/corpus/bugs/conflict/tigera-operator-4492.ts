import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { creates } from '../../support/steps.ts';

const apiVersion = 'operator.tigera.io/v1';
const INSTALLATION = { apiVersion, kind: 'Installation', plural: 'installations' };
const WHISKER = { apiVersion, kind: 'Whisker', plural: 'whiskers' };
const GOLDMANE = { apiVersion, kind: 'Goldmane', plural: 'goldmanes' };

/** Adds a finalizer of its own to the installation, once for each object of its kind. */
function component(plural: string, locks: boolean): SimulatedController {
  const finalizer = `operator.tigera.io/${plural}`;
  return operatorOf(plural, (client: Client, options: ControllerOptions) =>
    controller(client, apiVersion, plural, options)
      .watches(apiVersion, INSTALLATION.plural, () => [])
      .reconcile(async ({ metadata }, { resource, lister }) => {
        const installations = lister(apiVersion, INSTALLATION.plural);
        const found = installations.namespace('default').get('calico');
        if (found === undefined) throw new Error(`${metadata.name} waits for the installation`);
        const { finalizers = [], resourceVersion }: NonNullable<KubernetesObject['metadata']> =
          found.metadata;
        if (finalizers.includes(finalizer)) return;
        const changed = { finalizers: [...finalizers, finalizer] };
        await resource(apiVersion, INSTALLATION.plural).patch('calico', {
          metadata: locks ? { ...changed, resourceVersion } : changed,
        });
      }),
  );
}

function isHeldBy(state: ClusterState, plurals: readonly string[]): boolean {
  const found = state.get(apiVersion, INSTALLATION.plural, 'calico', 'default');
  const { finalizers = [] } = found?.metadata ?? {};
  return plurals.every((plural) => finalizers.includes(`operator.tigera.io/${plural}`));
}

export const tigeraOperator4492: KnownBug = {
  name: 'tigera-operator-4492',
  upstream: {
    project: 'tigera/operator',
    issue: 'https://github.com/tigera/operator/pull/4492',
    fix: 'https://github.com/tigera/operator/pull/4492',
    summary:
      'Two controllers add a finalizer to one object. Each writes the whole list as its cache has it, plus its own, without the version that it read: ' +
      'the second one removes what the first one has added. The fix sends the version, so that the server refuses the write.',
  },
  pattern: 'conflict',
  world: {
    objects: [
      customResource(INSTALLATION),
      customResource(WHISKER),
      customResource(GOLDMANE),
      { apiVersion, kind: 'Installation', metadata: { name: 'calico', namespace: 'default' } },
    ],
  },
  workload: [
    creates(WHISKER, 'default', {}, (state) => isHeldBy(state, ['whiskers'])),
    creates(GOLDMANE, 'default', {}, (state) => isHeldBy(state, ['whiskers', 'goldmanes'])),
    creates(WHISKER, 'second', {}, (state) => state.list(apiVersion, WHISKER.plural).length === 2),
  ],
  wrong: [component('whiskers', false), component('goldmanes', false)],
  fixed: [component('whiskers', true), component('goldmanes', true)],
  invariants: [
    {
      name: 'each component holds the installation',
      eventually: (state) => isHeldBy(state, ['whiskers', 'goldmanes']),
    },
  ],
};
