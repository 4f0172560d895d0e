import { simulate } from '../../../lib/simulator/simulate.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type {
  SimulationFailure,
  SimulationReport,
} from '../../../lib/simulator/contract/simulation-report.ts';
import type { PartSimulation } from './part-simulation.ts';
import { addressSimulations } from './addresses.ts';
import { deploymentSimulation } from './deployments.ts';
import { nodeSimulations } from './nodes.ts';
import { replicaSimulations } from './replicas.ts';
import { roleSimulation } from './roles.ts';
import { kubeletSimulation, schedulerSimulation } from './scheduling.ts';
import { serviceSimulations } from './services.ts';

/** The controllers of workloads, each with its simulations. */
export const partSimulations: readonly PartSimulation[] = [
  ...replicaSimulations,
  deploymentSimulation,
  ...serviceSimulations,
  ...addressSimulations,
  roleSimulation,
  ...nodeSimulations,
  schedulerSimulation,
  kubeletSimulation,
];

/**
 * The steps overlap, so runs end in different states, and the names of pods are drawn: what an end has to be is said by invariants, not by
 * runs without faults.
 */
const NOT_COMPARED = ['end-state', 'summary'];

export interface SimulatedPart {
  readonly report: SimulationReport;
  /** Failures that count. */
  readonly failures: readonly SimulationFailure[];
}

const MOST_CAUSES = 50;

export async function simulatePart(
  { options }: PartSimulation,
  variant: number,
  settings: Pick<SimulationOptions, 'seeds' | 'systematic' | 'budgetMs' | 'replay' | 'shrink'>,
): Promise<SimulatedPart> {
  const report = await simulate({
    ...options(variant),
    maxFailures: MOST_CAUSES,
    shrink: false,
    ...settings,
    onFailure: 'return',
  });
  const failures = report.failures.filter(
    ({ findings: [first] }) => !NOT_COMPARED.includes(first?.class ?? ''),
  );
  return { report, failures };
}
