import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import type { Simulation } from '../run/simulation.ts';
import { coverageOf } from './coverage.ts';

/** The result of the run of a plan, for a search. */
export interface PlanResult {
  readonly findings: readonly Finding[];
  readonly virtualMs: number;
  /** See `coverageOf`. */
  readonly coverage: readonly number[];
}

/** Where plans are run. */
export interface PlanRunner {
  /** The number of plans that it runs at the same time. */
  readonly width: number;
  /** Runs that `Simulation.runs` of this process does not count. */
  readonly runsElsewhere: number;
  run(plan: SimulationPlan): Promise<PlanResult>;
  close(): Promise<void>;
}

/** In this thread, one after the other. */
export function localRunner(simulation: Simulation): PlanRunner {
  return {
    width: 1,
    runsElsewhere: 0,
    run: async (plan) => {
      const { findings, record } = await simulation.evaluate(plan);
      return { findings, virtualMs: record.virtualMs, coverage: coverageOf(record) };
    },
    close: () => Promise.resolve(),
  };
}
