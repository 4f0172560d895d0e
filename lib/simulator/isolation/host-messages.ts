import type { SimulationPlan } from '../contract/fault.ts';
import type { ModuleSimulationOptions, OVERRIDES } from '../contract/module-simulation-options.ts';
import type { SimulationFailure, SimulationReport } from '../contract/simulation-report.ts';
import type { IsolationSettings } from './isolation-settings.ts';

/** The argument of a host, as JSON. */
export interface HostArgument {
  readonly settings: IsolationSettings;
  /** They take the place of those that the module exports. */
  readonly overrides: Pick<ModuleSimulationOptions, (typeof OVERRIDES)[number]>;
  readonly processes: number;
}

/** A failure without its functions. */
export type PlainFailure = Omit<SimulationFailure, 'reproduction'>;

/** A report without its functions. */
export type PlainReport = Omit<SimulationReport, 'failures'> & {
  readonly failures: readonly PlainFailure[];
};

/** A message of a host. */
export type HostMessage =
  | { readonly kind: 'progress'; readonly line: string }
  /** The run of a plan begins. */
  | { readonly kind: 'plan'; readonly plan: SimulationPlan }
  | { readonly kind: 'report'; readonly report: PlainReport }
  /** `code` is that of a `ListwatchError`. */
  | { readonly kind: 'error'; readonly message: string; readonly code?: string | undefined };
