import { controller } from 'listwatch';
import { defineSimulation, type SimulationOptions } from 'listwatch/simulator';

const options: SimulationOptions = defineSimulation({
  controllers: [
    {
      name: 'expiry',
      async run({ client, signal, logger }) {
        await using operator = controller(client, 'v1', 'configmaps', {
          labelSelector: 'expires',
          logger,
        }).reconcile(async ({ metadata: { name, creationTimestamp } }, { resource }) => {
          const restMs = Date.parse(creationTimestamp ?? '') + 3_600_000 - Date.now();
          if (restMs > 0) return { requeueAfterMs: restMs };
          await resource('v1', 'configmaps').delete(name);
          return {};
        });
        await operator.run({ signal });
      },
    },
  ],
  workload: [
    {
      title: 'create a note that expires after an hour',
      act: async (user) => {
        const metadata = { name: 'note', labels: { expires: 'yes' } };
        await user.resource('v1', 'configmaps', { namespace: 'default' }).create({ metadata });
      },
      until: (state) => state.get('v1', 'configmaps', 'note', 'default') === undefined,
    },
  ],
  virtualLimitMs: 3 * 3_600_000,
  seeds: 10,
});

export default options;
