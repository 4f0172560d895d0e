import type { EventRecorder } from '../../controller/events/event-recorder.ts';
import { clusterEvents } from './cluster-events.ts';
import type { WorkloadParts } from './workload-parts.ts';

/** As in kube-controller-manager, for most controllers (--concurrent-replicaset-syncs and its like). */
const WORKERS = 5;

/** The options that controllers of workloads have in common. */
export interface WorkloadControllerOptions extends Omit<WorkloadParts, 'client'> {
  readonly events: EventRecorder;
  readonly concurrency: number;
}

/** Those of a controller whose events are of a component. The part that runs the controller closes their recorder. */
export function workloadOptions(
  { client, informers, runtime, logger }: WorkloadParts,
  component: string,
): WorkloadControllerOptions {
  const events = clusterEvents(client, component, { runtime, logger });
  return { informers, events, concurrency: WORKERS, runtime, logger };
}
