import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { SimulationReport } from '../../../lib/simulator/contract/simulation-report.ts';
import { simulateModule } from '../../../lib/simulator/simulate-module.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';
import { configMapSimulations } from './config-maps.ts';
import { databaseSimulations } from './databases.ts';
import siteOperator from './site-operator.simulation.ts';

export type ExampleSettings = Pick<
  SimulationOptions,
  'seeds' | 'systematic' | 'budgetMs' | 'replay' | 'shrink' | 'maxFailures'
>;

type Simulated = (settings: ExampleSettings) => Promise<SimulationReport>;

function inProcess<Types extends object>(options: SimulationOptions<Types>): Simulated {
  return (settings) => simulate({ ...options, ...settings, onFailure: 'return' });
}

const all = <Types extends object>(
  simulations: Readonly<Record<string, SimulationOptions<Types>>>,
): (readonly [string, Simulated])[] =>
  Object.entries(simulations).map(([name, options]) => [name, inProcess(options)] as const);

/** Each controller of `examples/`, by the name of its file or folder. */
export const exampleSimulations: ReadonlyMap<string, Simulated> = new Map<string, Simulated>([
  ['site-operator', inProcess(siteOperator)],
  ...all(databaseSimulations),
  ...all(configMapSimulations),
  [
    'expiry',
    (settings) =>
      simulateModule({
        ...settings,
        module: 'examples/expiry.simulation.ts',
        onFailure: 'return',
      }),
  ],
]);
