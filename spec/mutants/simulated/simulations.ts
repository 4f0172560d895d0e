import { controller, Manager } from '../../../lib/index.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { Invariant } from '../../../lib/simulator/contract/world.ts';
import { configMapSimulations } from '../../simulator/examples/config-maps.ts';
import { databaseSimulations } from '../../simulator/examples/databases.ts';
import siteOperator from '../../simulator/examples/site-operator.simulation.ts';
import { copySteps } from '../../simulator/support/copies.ts';
import { explainedSimulation } from './explained.ts';
import { lawfulLease } from './leases.ts';
import { mirrorSimulations } from './mirrors.ts';
import { kindSimulation } from './user-kinds.ts';
import { verbSimulation } from './user-verbs.ts';
import { workerSimulation } from './workers.ts';

/** How long the first manager of a replica runs. */
const FIRST_MS = 40_000;

/** Two replicas with a lease, of which the leader gives each config map a secret with its text. */
const elected: SimulatedController = {
  name: 'elected',
  replicas: 2,
  async run({ client, runtime, signal, logger, identity }) {
    const copier = () =>
      controller(client, 'v1', 'configmaps', {
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
    // The first one ends as in a rolling update: it is stopped, and gives its lease back.
    for (const name of ['first', 'second']) {
      const leaderElection = {
        name: 'elected',
        namespace: 'default',
        identity: `${identity}-${name}`,
      };
      const manager = new Manager(client, { leaderElection, signals: false, runtime, logger });
      const stop = new AbortController();
      const release = onAbort(signal, () => stop.abort());
      if (name === 'first') runtime.setTimer(FIRST_MS, () => stop.abort());
      await manager.add(copier()).run({ signal: stop.signal });
      release();
      if (signal.aborted) return;
    }
  },
};

const electedSimulation: SimulationOptions = {
  controllers: [elected],
  workload: copySteps.slice(0, 2),
  invariants: [
    lawfulLease('elected'),
    {
      name: 'the copy has the text',
      eventually: (state) => {
        const { text } = state.get('v1', 'configmaps', 'page', 'default')?.data ?? {};
        const copied = state.get('v1', 'secrets', 'page', 'default')?.data?.['text'];
        return text !== undefined && copied === Buffer.from(text).toString('base64');
      },
    },
  ],
};

const NAMESPACE = 'default';

const greeted: Invariant = {
  name: 'each config map of the example is greeted',
  eventually: (state) => {
    const maps = state
      .list('v1', 'configmaps', NAMESPACE)
      .filter(({ metadata }) => metadata?.labels?.['example'] === 'yes');
    return maps.length === 2 && maps.every(({ data }) => data?.['greetedBy'] === 'a replica');
  },
};

const copied: Invariant = {
  name: 'the other namespace has the same config maps',
  eventually: (state) => {
    const texts = ['default', 'copies'].map((namespace) =>
      state
        .list('v1', 'configmaps', namespace)
        .map(({ metadata, data }) => `${metadata?.name} ${data?.['color']}`)
        .join(),
    );
    return texts[0] === texts[1] && texts[0] !== '';
  },
};

const of = (
  name: keyof typeof configMapSimulations,
  ...invariants: Invariant[]
): SimulationOptions => ({
  ...(configMapSimulations[name] as SimulationOptions),
  invariants,
});

/** Controllers that are right, as a user has them. What simulations of them find in a mutant of this package, users would find. */
export const simulations: ReadonlyMap<string, SimulationOptions> = new Map([
  ['work-queue by hand', workerSimulation],
  ['mirror', mirrorSimulations[0] as SimulationOptions],
  ['mirror in pages', mirrorSimulations[1] as SimulationOptions],
  ['mirror of namespaces', mirrorSimulations[2] as SimulationOptions],
  ['explained', explainedSimulation],
  ['verbs', verbSimulation],
  ['kinds', kindSimulation],
  ['site-operator', siteOperator as unknown as SimulationOptions],
  ['elected', electedSimulation],
  ['leader-election', of('leader-election', greeted, lawfulLease('greeter'))],
  ['clusters', of('clusters', copied)],
  ['work-queue', of('work-queue', copied)],
  ...Object.entries(databaseSimulations).map(
    ([name, options]) => [name, options as unknown as SimulationOptions] as const,
  ),
  ['sharded-controller', of('sharded-controller', greeted)],
]);
