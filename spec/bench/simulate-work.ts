/** Runs of a simulation without faults, each with a seed of its own, until the controller is idle. */
import { controller } from '../../lib/index.ts';
import type { SimulationOptions } from '../../lib/simulator/contract/simulation-options.ts';
import { SIMULATOR_VERSION } from '../../lib/simulator/contract/simulator-version.ts';
import { Simulation } from '../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../lib/simulator/run/simulation-parts.ts';
import siteOperator from '../simulator/examples/site-operator.simulation.ts';
import { isMain } from './workload/contestant.ts';

export interface SimulateResult {
  readonly runs: number;
  /** Processor time of all threads, milliseconds. */
  readonly processorMs: number;
  readonly virtualMs: number;
}

/** The first controller of docs/guides/simulate.md, without its mistake. */
const shops: SimulationOptions = {
  controllers: [
    {
      name: 'shops',
      async run({ client, runtime, signal, logger }) {
        await using operator = controller(client, 'v1', 'configmaps', {
          runtime,
          logger,
          labelSelector: 'kind=shop',
        }).reconcile(async ({ metadata: { name, annotations } }, { resource, own }) => {
          if (annotations?.['example.com/done'] !== undefined) return;
          const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } } as const;
          await resource('v1', 'secrets').apply(own(secret));
          const done = { metadata: { annotations: { 'example.com/done': 'yes' } } };
          await resource('v1', 'configmaps').patch(name, done);
        });
        await operator.run({ signal });
      },
    },
  ],
  workload: [
    {
      title: 'open a shop',
      act: async (user) => {
        const metadata = { name: 'bakery', labels: { kind: 'shop' } };
        await user.resource('v1', 'configmaps', { namespace: 'default' }).create({ metadata });
      },
      until: (state) => state.get('v1', 'secrets', 'bakery', 'default') !== undefined,
    },
  ],
};

export const simulated: Readonly<Record<'shops' | 'site-operator', SimulationOptions>> = {
  shops,
  'site-operator': siteOperator as SimulationOptions,
};

export interface SimulateArgument {
  readonly of: keyof typeof simulated;
  readonly runs: number;
  /** Runs before those that are measured: the compiler works during the first hundreds. */
  readonly warmUp: number;
}

export async function simulateWork({
  of,
  runs,
  warmUp,
}: SimulateArgument): Promise<SimulateResult> {
  const simulation = await Simulation.of(simulationParts(simulated[of]));
  await simulation.baseline();
  let virtualMs = 0;
  const check = async (from: number, count: number): Promise<void> => {
    for (let seed = from; seed < from + count; seed += 1) {
      const plan = { version: SIMULATOR_VERSION, seed, faults: [], origin: 'bench' };
      const { record, findings } = await simulation.evaluate(plan);
      if (findings.length > 0) throw new Error(`seed ${seed}: ${findings[0]?.message}`);
      virtualMs += record.virtualMs;
    }
  };
  await check(1, warmUp);
  virtualMs = 0;
  const before = process.cpuUsage();
  await check(1 + warmUp, runs);
  const { user, system } = process.cpuUsage(before);
  return { runs, processorMs: (user + system) / 1000, virtualMs };
}

if (isMain(import.meta)) {
  const { of, runs, warmUp } = JSON.parse(process.argv[2] ?? '{}') as SimulateArgument;
  console.log(JSON.stringify(await simulateWork({ of, runs, warmUp })));
}
