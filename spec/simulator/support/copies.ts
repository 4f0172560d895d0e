import { controller } from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';

/** A controller that is right: each config map with the label `copy` gets a copy, which it owns. */
export const copies: SimulatedController = {
  name: 'copies',
  async run({ client, runtime, signal, logger }) {
    await using copier = controller(client, 'v1', 'configmaps', {
      runtime,
      logger,
      labelSelector: 'copy',
    })
      .owns('v1', 'secrets')
      .reconcile(async (map, { resource, own }) => {
        const { name } = map.metadata;
        await resource('v1', 'secrets').apply(
          own({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name },
            stringData: { ...map.data },
          }),
        );
        return {};
      });
    await copier.run({ signal });
  },
};

export const copySteps: readonly WorkloadStep[] = [
  {
    title: 'create the config map page',
    act: async (user) => {
      await user.resource('v1', 'configmaps', { namespace: 'default' }).create(page('one'));
    },
    until: (state) => state.get('v1', 'secrets', 'page', 'default') !== undefined,
  },
  {
    title: 'change the page',
    act: async (user) => {
      await user
        .resource('v1', 'configmaps', { namespace: 'default' })
        .patch('page', { data: { text: 'two' } });
    },
  },
  {
    title: 'delete the page',
    act: async (user) => {
      await user.resource('v1', 'configmaps', { namespace: 'default' }).delete('page');
    },
    until: (state) => state.get('v1', 'secrets', 'page', 'default') === undefined,
  },
];

function page(text: string) {
  const metadata = { name: 'page', labels: { copy: 'yes' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } } as const;
}
