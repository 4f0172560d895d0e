import { guardedCall } from '../../kernel/guarded-call.ts';
import { silentMetrics, type Metrics } from '../../kernel/metrics.ts';

/**
 * Metrics that never throw: what the user's library throws goes to `onError`, once for each name. Those that count nothing
 * stay what they are, so that they can be told.
 */
export function guardedMetrics(metrics: Metrics, onError: (error: unknown) => void): Metrics {
  if (metrics === silentMetrics) return metrics;
  const failed = new Set<string>();
  const guard = (name: string, report: () => unknown): void => {
    guardedCall(report, (error) => {
      if (failed.has(name)) return;
      failed.add(name);
      onError(error);
    });
  };
  return {
    count: (name, by, labels) => {
      guard(name, () => metrics.count(name, by, labels));
    },
    gauge: (name, value, labels) => {
      guard(name, () => metrics.gauge(name, value, labels));
    },
    observe: (name, value, labels) => {
      guard(name, () => metrics.observe(name, value, labels));
    },
  };
}
