import { informerMetrics } from '../../cache/informer/observe/informer-metrics.ts';
import { requestMetrics } from '../../client/transport/flow/request-metrics.ts';
import { droppedReports, PrometheusMetrics } from '../../kernel/report/prometheus-metrics.ts';
import { electionMetrics } from '../election/election-metrics.ts';
import { shardingMetrics } from '../sharding/sharding-metrics.ts';
import { reconcileLoopMetrics } from '../runtime/reconcile-loop-metrics.ts';
import { webhookMetrics } from '../webhook/port/webhook-metrics.ts';
import { workQueueMetrics } from '../workqueue/work-queue-metrics.ts';

/** Waits in a queue take microseconds, and reconciles minutes. */
const SECONDS = [
  1e-5, 1e-4, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1000,
];

/**
 * Keeps the metrics of controllers, work queues, informers and requests, and writes them in the text format of Prometheus. Given to
 * `connect` and to a `Manager`, it shows the requests of the client at `/metrics` too.
 */
export function prometheusMetrics(): PrometheusMetrics {
  return new PrometheusMetrics({
    descriptions: [
      ...Object.values(reconcileLoopMetrics),
      ...Object.values(workQueueMetrics),
      ...Object.values(informerMetrics),
      ...Object.values(requestMetrics),
      ...Object.values(electionMetrics),
      ...Object.values(webhookMetrics),
      ...Object.values(shardingMetrics),
      droppedReports,
    ],
    dropped: droppedReports,
    secondsBounds: SECONDS,
  });
}
