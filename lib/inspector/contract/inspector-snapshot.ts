import type { AuditReport } from '../../cache/informer/audit/audit-report.ts';
import type { InformerInspection } from '../../cache/informer/observe/informer-inspection.ts';
import type { ClientInspection } from '../../client/rest/request/client-inspection.ts';
import type { ReconcileRecord } from '../../controller/builder/run/reconcile-history.ts';
import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type { QueueInspection } from '../../controller/workqueue/queue-inspection.ts';
import type {
  InspectedRequest,
  InspectedServerState,
  InspectedWorkloads,
} from './inspected-parts.ts';

/** The state of an embedded server, and its slowest requests, the slowest first. */
export interface ServerSnapshot extends InspectedServerState {
  readonly requests: number;
  readonly failedRequests: number;
  readonly slow: readonly InspectedRequest[];
}

/** A program at one moment: what the page shows. Plain data. */
export interface InspectorSnapshot {
  readonly title: string;
  /** The version of this package. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** When the inspector began to serve. */
  readonly startedAtMs: number;
  readonly client?: ClientInspection | undefined;
  readonly informers: readonly InformerInspection[];
  /** Queues without a controller. */
  readonly queues: readonly QueueInspection[];
  readonly controllers: readonly ControllerInspection[];
  readonly server?: ServerSnapshot | undefined;
  /** The rollouts that are not complete come first. */
  readonly cluster?: InspectedWorkloads | undefined;
  /** Parts over the limit of a snapshot, which are not shown. */
  readonly leftOut: number;
}

/** A message of the stream of events. */
export interface SnapshotUpdate {
  readonly snapshot: InspectorSnapshot;
  /** Updates that this browser did not get, because it was too slow. */
  readonly dropped: number;
}

export interface CachedKey {
  readonly informer: string;
  readonly resourceVersion: string;
  readonly generation?: number | undefined;
  readonly deleting: boolean;
}

export interface QueuedKey {
  readonly queue: string;
  readonly state: 'waiting' | 'running' | 'delayed' | 'idle' | 'unknown';
  /** Why, in words. */
  readonly text: string;
  /** Failures in a row; 0 if the last run succeeded. */
  readonly failures: number;
  readonly reason?: string | undefined;
}

export interface KeyRun extends ReconcileRecord {
  readonly controller: string;
}

/** One key on its way. */
export interface KeyReport {
  readonly key: string;
  readonly atMs: number;
  /** The caches that have the key. */
  readonly caches: readonly CachedKey[];
  readonly queues: readonly QueuedKey[];
  /** The last runs, the latest first. */
  readonly runs: readonly KeyRun[];
}

export interface KeySearch {
  readonly total: number;
  /** How many keys match; `searched` of them were looked at. */
  readonly matched: number;
  readonly searched: number;
  /** The first of them. */
  readonly keys: readonly string[];
}

export interface DifferenceLine {
  /** `-`: only the cache has it; `+`: only the server has it. */
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

export interface ObjectReport {
  readonly informer: string;
  readonly key: string;
  readonly resourceVersion: string;
  readonly yaml: string;
  /** The data that was left out and masked, as text. */
  readonly notes: readonly string[];
  /** With the server's object, if it was asked for. */
  readonly difference?:
    | {
        readonly resourceVersion: string | undefined;
        readonly lines: readonly DifferenceLine[];
        readonly equal: boolean;
      }
    | undefined;
}

export type AuditAnswer = { readonly report: AuditReport } | { readonly problem: string };

/** The data of a saved page. */
export interface SavedState {
  readonly snapshot: InspectorSnapshot;
  /** Of keys that fail or have failed. */
  readonly keys: readonly KeyReport[];
}
