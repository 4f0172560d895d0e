import type { ReconcileRecord } from './reconcile-history.ts';
import type { SourceCounts } from './controller-source.ts';

export interface SourceInspection extends SourceCounts {
  /** E.g. `apps/v1/deployments`. */
  readonly resource: string;
  readonly synced: boolean;
  /** Why it is not synced; undefined once it is. */
  readonly waitingFor: string | undefined;
}

/** The state of a controller at one moment. */
export interface ControllerInspection {
  readonly name: string;
  /** `syncing`: the first lists are read. */
  readonly phase: 'new' | 'syncing' | 'running' | 'stopped';
  readonly sources: readonly SourceInspection[];
  readonly queue: {
    /** Keys that wait for a worker. */
    readonly waiting: number;
    /** Keys that wait for their time: retries, and runs that were asked for later. */
    readonly delayed: number;
    /** The keys that are reconciled now. */
    readonly running: readonly string[];
  };
  /** The last runs, the oldest first. */
  readonly history: readonly ReconcileRecord[];
}
