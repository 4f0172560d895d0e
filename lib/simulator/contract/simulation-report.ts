import type { SimulationPlan } from './fault.ts';
import type { Finding } from './finding.ts';

/**
 * A plan with which something goes wrong.
 *
 * @experimental
 */
export interface SimulationFailure {
  /** The smallest plan that was found; `replay` takes it. */
  readonly plan: SimulationPlan;
  /** The plan that failed first. */
  readonly foundWith: SimulationPlan;
  /** The problems of the run of `plan`. */
  readonly findings: readonly Finding[];
  /** Runs of the search before it was found, this one included; runs without faults do not count. */
  readonly runsToFind: number;
  /** The oracle, the kind of the object and the difference of the first finding, as text: what failures are grouped by. */
  readonly cause: string;
  /** Runs of the search that failed by this cause; `plan` is an example. */
  readonly runs: number;
  /** The run as text for a person. */
  readonly story: string;
  /** The same as a page that needs nothing else: lanes of the processes over time. */
  readonly html: string;
  /**
   * A spec file that replays it, with `simulate` or `simulateModule`, as it was found; `optionsModule` is how it imports the options, which are
   * the default export of that module: `./shops.simulation.ts`.
   */
  reproduction(optionsModule: string): string;
  /** Everything that happened, one line each: the same in every run of the plan. */
  readonly trace: string;
}

/** How many plans of a kind were run. */
export interface PlanCount {
  readonly planned: number;
  readonly run: number;
  readonly failed: number;
}

/** @experimental */
export interface SimulationReport {
  /** Nothing was found. */
  readonly ok: boolean;
  /** Each of another cause. */
  readonly failures: readonly SimulationFailure[];
  /** By `intermediate state`, `stale state`, `unobserved state`, `list order` and `random seeds`. */
  readonly plans: Readonly<Record<string, PlanCount>>;
  /** Notes besides failures, one sentence each. */
  readonly notes: readonly string[];
  /** All runs: also those without faults, and those that made plans smaller. */
  readonly runs: number;
  /** Real milliseconds. */
  readonly elapsedMs: number;
  /** Real milliseconds until the search had ended, before failures were made smaller. */
  readonly searchMs: number;
  /** Virtual milliseconds of all runs of the search. */
  readonly virtualMs: number;
  /** All that was planned was run. False when the budget was over, or enough failures were found. */
  readonly complete: boolean;
  /** The report in a few lines. */
  readonly summary: string;
}
