import type { Verb } from '../../server/http/request-info.ts';
import type { PlannedFault, SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import type { ClusterHistory } from '../record/cluster-history.ts';
import type { Journal } from '../record/journal.ts';

/** A request that was answered, or failed with status 0. */
export interface SentRequest {
  readonly atMs: number;
  readonly actor: string;
  readonly verb: Verb;
  readonly resource: string;
  readonly object: string;
  readonly isWrite: boolean;
  readonly status: number;
}

/** An event or an item that a watch or a list brought to a process. */
export interface DeliveredEvent {
  readonly atMs: number;
  readonly actor: string;
  readonly resource: string;
  readonly piece: Uint8Array;
  /** The number of entries that the journal had by then. */
  readonly entriesBefore: number;
}

/** All that is known of a run at its end. */
export interface RunRecord {
  readonly plan: SimulationPlan;
  readonly history: ClusterHistory;
  readonly journal: Journal;
  readonly requests: readonly SentRequest[];
  /** Only of a detailed run. */
  readonly events: readonly DeliveredEvent[];
  /** Findings during the run; oracles add to them. */
  readonly findings: readonly Finding[];
  /** The faults of the plan that have happened. */
  readonly struck: readonly PlannedFault[];
  readonly stepsDone: number;
  readonly virtualMs: number;
  /** From this time on nothing was expected to happen any more; infinite for a run that was cut short. */
  readonly quietMs: number;
  /** Processes of which a list was answered with a past state. */
  readonly pastReaders: ReadonlySet<string>;
  /** How often processes ended by themselves. */
  readonly exits: number;
}
