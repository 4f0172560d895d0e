import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationPlan } from '../../../../lib/simulator/contract/fault.ts';
import { Simulation } from '../../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../../lib/simulator/run/simulation-parts.ts';
import { recordingOf } from '../../../../lib/simulator/search/recording.ts';
import { systematicPlans } from '../../../../lib/simulator/search/systematic-plans.ts';
import type { KnownBug } from '../known-bug.ts';

/** One version of a bug, with the plans that follow from its run without faults. */
export interface Searched {
  readonly simulation: Simulation;
  readonly plans: readonly SimulationPlan[];
}

export async function searched(
  { world, workload, invariants = [] }: KnownBug,
  controllers: readonly SimulatedController[],
): Promise<Searched> {
  const parts = simulationParts({ controllers, world, workload, invariants });
  const simulation = await Simulation.of(parts);
  const [record] = (await simulation.baseline()).records;
  if (record === undefined) return { simulation, plans: [] };
  const names = controllers.flatMap(({ name, replicas = 1 }) =>
    replicas === 1 ? [name] : Array.from({ length: replicas }, (_, number) => `${name}#${number}`),
  );
  return { simulation, plans: systematicPlans(recordingOf(record, names)) };
}

/** The failures of the run of a plan, a line each. */
export async function alarmsOf(simulation: Simulation, plan: SimulationPlan): Promise<string[]> {
  const { findings } = await simulation.evaluate(plan);
  return findings.map((one) => `${one.class}: ${one.subject}: ${one.message}`);
}

/** The first of these plans with which something is wrong. */
export async function firstFailing({
  simulation,
  plans,
}: Searched): Promise<SimulationPlan | undefined> {
  for (const plan of plans) {
    if ((await alarmsOf(simulation, plan)).length > 0) return plan;
  }
  return undefined;
}
