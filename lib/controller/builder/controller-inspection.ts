import type { QueueInspection } from '../workqueue/queue-inspection.ts';
import type { ExternalSourceInspection } from './source/external-source.ts';
import type { ObjectTasksInspection } from '../helpers/object-daemons.ts';
import type { ReconcileCounts, ReconcileRecord } from './run/reconcile-history.ts';
import type { SourceCounts, SourceRole } from './source/controller-source.ts';

export interface SourceInspection extends SourceCounts {
  /** E.g. `apps/v1/deployments`, or `east:v1/secrets` in another cluster. */
  readonly resource: string;
  readonly role: SourceRole;
  /** Of a declaration with option `name`. */
  readonly name?: string | undefined;
  readonly synced: boolean;
  /** Why it is not synced; undefined once it is. */
  readonly waitingFor: string | undefined;
}

/** The state of a controller at one moment. */
export interface ControllerInspection {
  readonly name: string;
  /**
   * `syncing`: the first lists are read. `standby`: it has the changes, and another replica works on them. `paused`: it has the changes,
   * and reconciles nothing.
   */
  readonly phase: 'new' | 'syncing' | 'standby' | 'running' | 'paused' | 'stopped';
  readonly sources: readonly SourceInspection[];
  readonly external: readonly ExternalSourceInspection[];
  /** Timers and daemons. */
  readonly tasks: readonly ObjectTasksInspection[];
  /** The objects that wait, are reconciled, are delayed or fail, at most as many of each as were asked for. */
  readonly queue: QueueInspection;
  /** The runs since the start, by their result. */
  readonly runs: ReconcileCounts;
  /** The last runs, the oldest first. */
  readonly history: readonly ReconcileRecord[];
}
