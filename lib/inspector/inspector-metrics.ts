import { informerMetrics } from '../cache/informer/observe/informer-metrics.ts';
import { workQueueMetrics } from '../controller/workqueue/work-queue-metrics.ts';
import { droppedReports, PrometheusMetrics } from '../kernel/report/prometheus-metrics.ts';
import type { InspectorSnapshot } from './contract/inspector-snapshot.ts';

/**
 * The state of the parts as metrics in the text format of Prometheus: gauges, and counts since the start. Histograms need a
 * `PrometheusMetrics` that the parts report to.
 */
export function metricsOf({ informers, controllers, queues }: InspectorSnapshot): string {
  const metrics = new PrometheusMetrics({
    descriptions: [
      ...Object.values(informerMetrics),
      ...Object.values(workQueueMetrics),
      droppedReports,
    ],
    dropped: droppedReports,
  });
  const named = informerMetrics;
  for (const informer of informers) {
    const labels = { name: informer.name };
    metrics.gauge(named.connected.name, informer.connected ? 1 : 0, labels);
    metrics.gauge(named.objects.name, informer.objects, labels);
    metrics.gauge(named.bytes.name, informer.bytes, labels);
    metrics.gauge(
      named.memory.name,
      informer.memory.slabBytes + informer.memory.decodedBytes,
      labels,
    );
    metrics.gauge(named.queueDepth.name, informer.queued, labels);
    metrics.gauge(named.lag.name, informer.lagMs / 1000, labels);
    metrics.gauge(named.lastEventAge.name, (informer.lastEventAgeMs ?? 0) / 1000, labels);
    metrics.count(named.eventsApplied.name, informer.eventsApplied, labels);
    metrics.count(named.relists.name, informer.relists, labels);
    for (const { name: handler, pending, delivered, failed, coalesced } of informer.handlers) {
      const both = { ...labels, handler };
      metrics.gauge(named.handlerPending.name, pending, both);
      metrics.count(named.handlerDelivered.name, delivered, both);
      metrics.count(named.handlerFailed.name, failed, both);
      metrics.count(named.handlerCoalesced.name, coalesced, both);
    }
  }
  for (const { name, waiting } of [...controllers.map(({ queue }) => queue), ...queues]) {
    metrics.gauge(workQueueMetrics.depth.name, waiting.count, { name });
  }
  return metrics.text();
}
