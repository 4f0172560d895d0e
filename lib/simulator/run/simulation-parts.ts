import type { SimulationOptions } from '../contract/simulation-options.ts';
import type { SimulationParts } from './simulation.ts';

const HALF_HOUR_MS = 1_800_000;

/** What a run needs of the options, with their defaults. */
export function simulationParts({
  controllers,
  world = {},
  workload = [],
  invariants = [],
  virtualLimitMs = HALF_HOUR_MS,
}: SimulationOptions): SimulationParts {
  return { controllers, world, workload, invariants, virtualLimitMs };
}
