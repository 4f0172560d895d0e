export { simulate } from './simulate.ts';
export { simulateModule } from './simulate-module.ts';
export { defineSimulation } from './define-simulation.ts';
export { SimulationError } from './simulation-error.ts';
export type { SimulationOptions } from './contract/simulation-options.ts';
export type { ModuleSimulationOptions } from './contract/module-simulation-options.ts';
export type { SimulationFailure, SimulationReport } from './contract/simulation-report.ts';
export type { Incarnation, SimulatedController } from './contract/simulated-controller.ts';
export type { ClusterState, Invariant, World, WorkloadStep } from './contract/world.ts';
export {
  FAULT_KINDS,
  type PlannedFault,
  type FaultKind,
  type SimulationPlan,
} from './contract/fault.ts';
export type { Finding } from './contract/finding.ts';
