import type { SimulationOptions } from '../contract/simulation-options.ts';
import type { SimulationParts } from './simulation.ts';

const HALF_HOUR_MS = 1_800_000;

/** The options that a run needs, with their defaults. */
export function simulationParts({
  controllers,
  world = {},
  workload = [],
  invariants = [],
  virtualLimitMs = HALF_HOUR_MS,
}: SimulationOptions): SimulationParts {
  return { controllers, world, workload, invariants, virtualLimitMs };
}
