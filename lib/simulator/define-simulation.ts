import type { SimulationOptions } from './contract/simulation-options.ts';

/**
 * Options of a simulation as the default export of a module, which specs, `listwatch simulate FILE` and the processes of a search import. It returns
 * them as they are; the compiler checks them.
 *
 * @example
 * export default defineSimulation({ controllers: [sites], workload });
 * @experimental
 */
export function defineSimulation<Types extends object = object>(
  options: SimulationOptions<Types>,
): SimulationOptions<Types> {
  return options;
}
