import { controller, Manager } from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import siteOperator from '../../simulator/examples/site-operator.simulation.ts';
import { copySteps } from '../../simulator/support/copies.ts';

/** Two replicas with a lease, of which the leader gives each config map a secret with its text. */
const elected: SimulatedController = {
  name: 'elected',
  replicas: 2,
  async run({ client, runtime, signal, logger, identity }) {
    const copier = controller(client, 'v1', 'configmaps', {
      runtime,
      logger,
      labelSelector: 'copy',
    })
      .owns('v1', 'secrets')
      .reconcile(async ({ metadata: { name }, data = {} }, { resource, own }) => {
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } } as const;
        await resource('v1', 'secrets').apply(own({ ...secret, stringData: { ...data } }));
        return {};
      });
    const leaderElection = { name: 'elected', namespace: 'default', identity };
    const manager = new Manager(client, { leaderElection, signals: false, runtime, logger });
    await manager.add(copier).run({ signal });
  },
};

/** Controllers that are right, as a user has them. What simulations of them find in a mutant of this package, users would find. */
export const simulations: readonly SimulationOptions[] = [
  siteOperator as unknown as SimulationOptions,
  {
    controllers: [elected],
    workload: copySteps.slice(0, 2),
    invariants: [
      {
        name: 'the copy has the text',
        eventually: (state) => {
          const { text } = state.get('v1', 'configmaps', 'page', 'default')?.data ?? {};
          const copied = state.get('v1', 'secrets', 'page', 'default')?.data?.['text'];
          return text !== undefined && copied === Buffer.from(text).toString('base64');
        },
      },
    ],
  },
];
